#include "sim/run/node_traffic.h"

#include <algorithm>
#include <utility>

namespace rackwright::run {
namespace {

/// The time of a flow alone is computed and simulated by different sums of doubles, each rounded to whole picoseconds.
constexpr SimTime rounding{10};

std::int64_t tokens_of(const cost::StepShape& step) {
  std::int64_t tokens = step.decode_sequences;
  for (const cost::PrefillChunk& chunk : step.prefill) tokens += chunk.new_tokens;
  return tokens;
}

std::int64_t samples_of(const cost::StepShape& step) {
  std::int64_t samples = step.decode_sequences;
  for (const cost::PrefillChunk& chunk : step.prefill) samples += chunk.last ? 1 : 0;
  return samples;
}

}  // namespace

NodeTraffic::NodeTraffic(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<InstanceTraffic> traffic)
    : engine_(engine), network_(network), traffic_(std::move(traffic)), steps_begun_(traffic_.size()) {}

bool NodeTraffic::carries(std::uint32_t instance) const { return instance < traffic_.size() && !traffic_[instance].rounds.empty(); }

bool NodeTraffic::begin(std::uint32_t instance, const cost::StepShape& shape, serving::StepTrafficHandler& handler) {
  const InstanceTraffic& traffic = traffic_[instance];
  const std::uint64_t begun = steps_begun_[instance]++;
  const std::vector<TrafficLeg>& legs = traffic.rounds[begun % traffic.rounds.size()];
  const std::int64_t tokens = tokens_of(shape);
  const std::int64_t samples = samples_of(shape);
  if (tokens <= 0 || legs.empty()) return false;
  Step begins{.handler = &handler, .began = engine_.now(), .under_way = static_cast<std::uint32_t>(legs.size()), .lateness = traffic.lateness, .layers = traffic.layers.get()};
  if (begins.layers != nullptr) begins.exchange = begins.layers->exchange_of(shape);
  const std::uint32_t step = steps_.slot_of(steps_.insert(begins));
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const TrafficLeg& leg = legs[i];
    // Each step takes its own of the equal-cost paths.
    const double bytes = leg.bytes_per_token * static_cast<double>(tokens) + leg.bytes_per_sample * static_cast<double>(samples);
    const topologies::DeviceTransfer transfer{leg.from, leg.to, bytes, 0, begun, leg.mechanism};
    const SimTime priced = sim_time(network_->paths().undisturbed_seconds({leg.from, leg.to, 0, 0, begun, leg.mechanism}).value() + transfer.bytes / leg.priced_bytes_per_s);
    network_->start(transfer, instance, *this, flows_.slot_of(flows_.insert({step, priced, i})));
  }
  return true;
}

void NodeTraffic::on_device_transfer_done(fabric::DeviceTransferId, std::uint64_t slot) {
  const Flow flow = flows_[static_cast<std::uint32_t>(slot)];
  flows_.erase(static_cast<std::uint32_t>(slot));
  Step& step = steps_[flow.step];
  const SimTime took = engine_.now() - step.began;
  if (took > flow.priced + rounding) {
    const SimTime late = took - flow.priced;
    step.late = step.lateness == InstanceTraffic::Lateness::sum ? step.late + late : std::max(step.late, late);
    if (step.layers != nullptr) step.stretched[flow.leg] = took.seconds() / flow.priced.seconds();
  }
  if (--step.under_way > 0) return;
  Step done = step;
  steps_.erase(flow.step);
  if (done.layers != nullptr) done.late = done.layers->delay(done.exchange, done.stretched[0], done.stretched[1]);
  done.handler->on_step_traffic_done(done.late);
}

}  // namespace rackwright::run
