#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "sim/engine/engine.h"

namespace rackwright::tests {

/// The engine written as plainly as the contract reads, to be compared with: ordered maps, and
/// every rate of every flow found anew by progressive filling after every change.
class OracleEngine final : public engine::Engine {
 public:
  SimTime now() const override { return now_; }
  engine::EventId at(SimTime when, engine::Phase phase, std::uint32_t entity, engine::EventHandler& handler,
                     std::uint64_t token) override;
  bool cancel(engine::EventId event) override;

  engine::LinkId add_link(double bandwidth) override;
  void set_bandwidth(engine::LinkId link, double bandwidth) override;
  engine::FlowId start_flow(const engine::FlowRequest& request, std::uint32_t entity, engine::FlowHandler& handler,
                            std::uint64_t token) override;
  bool cancel_flow(engine::FlowId flow) override;
  double flow_rate(engine::FlowId flow) const override;
  double flow_bytes_left(engine::FlowId flow) const override;

  void run() override;
  void stop() override { stopped_ = true; }
  std::uint64_t events_run() const override { return events_run_; }

 private:
  using Rank = std::tuple<SimTime, engine::Phase, std::uint32_t, std::uint64_t>;
  struct Event {
    engine::EventHandler* handler = nullptr;  ///< Null: the flow called `token` ends.
    std::uint64_t token = 0;
  };
  struct Flow {
    std::vector<std::uint32_t> path;
    double rate_cap = 0;  ///< Infinite where the request has none.
    std::uint32_t entity = 0;
    engine::FlowHandler* handler = nullptr;
    std::uint64_t token = 0;
    double bytes_left = 0;  ///< At `since`.
    SimTime since;
    double rate = -1;  ///< From `since` on; -1 before the first settling.
    SimTime end = SimTime::max();
  };

  Rank end_rank(std::uint64_t id, const Flow& flow) const;
  double bytes_left(const Flow& flow) const;
  std::map<std::uint64_t, double> fair_rates() const;
  void settle();
  void end_flow(std::uint64_t id);

  SimTime now_;
  bool stopped_ = false;
  std::uint64_t events_run_ = 0;
  bool rates_are_stale_ = false;
  std::uint64_t creations_ = 0;
  std::map<Rank, Event> events_;
  std::map<std::uint64_t, Rank> event_ranks_;
  std::vector<double> bandwidths_;
  std::map<std::uint64_t, Flow> flows_;
};

}  // namespace rackwright::tests
