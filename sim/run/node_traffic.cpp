#include "sim/run/node_traffic.h"

#include <algorithm>
#include <utility>

namespace rackwright::run {
namespace {

/// The time of a flow alone is computed and simulated by different sums of doubles, each rounded to whole picoseconds.
constexpr SimTime rounding{10};

}  // namespace

NodeTraffic::NodeTraffic(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<InstanceTraffic> traffic)
    : engine_(engine), network_(network), traffic_(std::move(traffic)), steps_begun_(traffic_.size()) {}

bool NodeTraffic::carries(std::uint32_t instance) const { return instance < traffic_.size() && !traffic_[instance].rounds.empty(); }

bool NodeTraffic::begin(std::uint32_t instance, std::int64_t tokens, serving::StepTrafficHandler& handler) {
  const auto& rounds = traffic_[instance].rounds;
  const std::uint64_t begun = steps_begun_[instance]++;
  const std::vector<TrafficLeg>& legs = rounds[begun % rounds.size()];
  if (tokens <= 0 || legs.empty()) return false;
  const std::uint32_t step = steps_.slot_of(steps_.insert({&handler, engine_.now(), static_cast<std::uint32_t>(legs.size()), {}}));
  for (const TrafficLeg& leg : legs) {
    // Each step takes its own of the equal-cost paths.
    topologies::DeviceTransfer transfer{leg.from, leg.to, leg.bytes_per_token * static_cast<double>(tokens), 0, begun, leg.mechanism};
    const SimTime priced = sim_time(network_->paths().undisturbed_seconds({leg.from, leg.to, 0, 0, begun, leg.mechanism}).value() + transfer.bytes / leg.priced_bytes_per_s);
    network_->start(transfer, instance, *this, flows_.slot_of(flows_.insert({step, priced})));
  }
  return true;
}

void NodeTraffic::on_device_transfer_done(fabric::DeviceTransferId, std::uint64_t slot) {
  const Flow flow = flows_[static_cast<std::uint32_t>(slot)];
  flows_.erase(static_cast<std::uint32_t>(slot));
  Step& step = steps_[flow.step];
  const SimTime took = engine_.now() - step.began;
  if (took > flow.priced + rounding) step.late = std::max(step.late, took - flow.priced);
  if (--step.under_way > 0) return;
  const Step done = step;
  steps_.erase(flow.step);
  done.handler->on_step_traffic_done(done.late);
}

}  // namespace rackwright::run
