#pragma once

#include <cstdint>
#include <span>

#include "models/base/time.h"

namespace rackwright::engine {

/// Events at one instant run in this order.
enum class Phase : std::uint8_t { transfer, step, arrival, dispatch, control, observe };

struct EventId { std::uint64_t value = 0; };
struct LinkId { std::uint32_t value = 0; };
struct FlowId { std::uint64_t value = 0; };

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  virtual void on_event(std::uint64_t token) = 0;
};

class FlowHandler {
 public:
  virtual ~FlowHandler() = default;
  virtual void on_flow_done(FlowId flow, std::uint64_t token) = 0;
  /// Bytes per second from now on; called at the start too, and only when the rate differs.
  virtual void on_flow_rate(FlowId, std::uint64_t, double) {}
};

struct FlowRequest {
  std::span<const LinkId> path;  ///< Directed links, in order; may be empty (nothing is shared then).
  double bytes = 0;              ///< At least 0.
  double rate_cap = 0;           ///< Bytes per second; 0 means none.
};

/// The one place where time passes. Events run in the total order (time, phase, entity, creation).
/// Flows share every link max-min fairly; latency is the caller's delay before `start_flow`.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual SimTime now() const = 0;
  /// `when` is not before now. The handler must outlive the event.
  virtual EventId at(SimTime when, Phase phase, std::uint32_t entity, EventHandler& handler, std::uint64_t token) = 0;
  /// False when the event has run or was cancelled before.
  virtual bool cancel(EventId event) = 0;

  /// Bandwidth in bytes per second, of one direction.
  virtual LinkId add_link(double bandwidth) = 0;
  virtual void set_bandwidth(LinkId link, double bandwidth) = 0;
  virtual FlowId start_flow(const FlowRequest& request, std::uint32_t entity, FlowHandler& handler, std::uint64_t token) = 0;
  virtual bool cancel_flow(FlowId flow) = 0;
  virtual double flow_rate(FlowId flow) const = 0;
  virtual double flow_bytes_left(FlowId flow) const = 0;

  /// Runs until nothing is left or `stop` was called.
  virtual void run() = 0;
  virtual void stop() = 0;
};

}  // namespace rackwright::engine
