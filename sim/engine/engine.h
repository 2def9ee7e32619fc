#pragma once

#include <cstdint>
#include <span>

#include "models/base/time.h"

namespace rackwright::engine {

/// Events at one instant run in this order.
enum class Phase : std::uint8_t { transfer, step, arrival, dispatch, control, observe };

struct EventId { std::uint64_t value = 0; };  ///< 0 is no event.
struct LinkId { std::uint32_t value = 0; };
struct FlowId { std::uint64_t value = 0; };   ///< 0 is no flow.

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  virtual void on_event(std::uint64_t token) = 0;
};

class FlowHandler {
 public:
  virtual ~FlowHandler() = default;
  virtual void on_flow_done(FlowId flow, std::uint64_t token) = 0;
  /// Bytes per second from now on: first when the start is settled, then only when the rate differs.
  virtual void on_flow_rate(FlowId, std::uint64_t, double) {}
};

/// Whether the handler of a flow hears of its rates; where thousands share a link, telling all costs more than sharing it.
enum class RateReports : std::uint8_t { all, none };

struct FlowRequest {
  std::span<const LinkId> path;  ///< Directed links, each at most once; may be empty (nothing is shared then).
  double bytes = 0;              ///< At least 0.
  double rate_cap = 0;           ///< Bytes per second; 0 means none.
  RateReports reports = RateReports::all;
};

/// The one place where time passes. Events run in the total order (time, phase, entity, creation);
/// the end of a flow is an event of `Phase::transfer` that was created when the flow started.
/// Flows share every link max-min fairly; latency is the caller's delay before `start_flow`.
///
/// Rates are settled once per instant, after its last event: starts, ends and changes of bandwidth at one
/// instant are one change. `on_flow_rate` comes then, before time moves. A flow ends at the first picosecond
/// at which all its bytes are there; one that needs no time (no bytes, or neither a link nor a cap) ends at
/// the instant it starts and has no rate.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual SimTime now() const = 0;
  /// `when` is not before now; at `SimTime::max()` nothing ever happens. The handler must outlive the event.
  virtual EventId at(SimTime when, Phase phase, std::uint32_t entity, EventHandler& handler, std::uint64_t token) = 0;
  /// False when the event has run or was cancelled before.
  virtual bool cancel(EventId event) = 0;

  /// Bandwidth in bytes per second, of one direction; 0 is a link that is down: its flows stand still.
  virtual LinkId add_link(double bandwidth) = 0;
  virtual void set_bandwidth(LinkId link, double bandwidth) = 0;
  virtual FlowId start_flow(const FlowRequest& request, std::uint32_t entity, FlowHandler& handler, std::uint64_t token) = 0;
  /// False when `on_flow_done` was called or the flow was cancelled before.
  virtual bool cancel_flow(FlowId flow) = 0;
  /// As last settled; 0 for a flow that is over.
  virtual double flow_rate(FlowId flow) const = 0;
  virtual double flow_bytes_left(FlowId flow) const = 0;

  /// Runs until nothing is left that can happen (flows that stand still may be left) or `stop` was called.
  virtual void run() = 0;
  /// Ends `run` after the event that called it; the next `run` goes on from there.
  virtual void stop() = 0;
  /// Events run so far: what the host paid for. No result depends on it.
  virtual std::uint64_t events_run() const = 0;
};

}  // namespace rackwright::engine
