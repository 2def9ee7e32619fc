#include "sim/run/expert_traffic.h"

#include "models/llm/operator_graph.h"

namespace rackwright::run {
namespace {

using topologies::DeviceSet;

/// Bytes that a device sends out of its scale-up domain for each token of the instance: of what it exchanges with all ranks
/// alike, the part to ranks elsewhere.
double remote_bytes_per_token(const scenarios::PoolSpec& pool, int domain) {
  constexpr std::int64_t many = 65'536;  // So that rounding of tokens to data ranks does not show.
  Diagnostics known;                     // The pool's plan has said what there is to say.
  const llm::ShardedShape sharded = llm::shard(pool.model, pool.parallelism, {}, "", known);
  double bytes = 0;
  for (const llm::Operator& op : llm::token_operators(sharded, many))
    if (op.kind == llm::OperatorKind::all_to_all && op.ranks > domain)
      bytes += op.count * (op.network_bytes > 0 ? op.network_bytes : op.message_bytes * (1 - static_cast<double>(domain) / op.ranks));
  return bytes / many;
}

/// As the costs of steps have it (scenarios/check/pool_plan): each device's share of its node's cards, at what RDMA reaches.
double priced_bytes_per_s(const scenarios::RackGroupSpec& racks) {
  const double cards = *racks.nic_bytes_per_s * racks.nics_per_node / racks.devices_per_node;
  return cards * cost::published_transfer(cost::TransferMechanism::rdma, "").link_fraction;
}

InstanceTraffic between_nodes(const DeviceSet& instance, int domain, double device_bytes_per_token, double device_bytes_per_s) {
  InstanceTraffic traffic;
  const int nodes = instance.count / domain;
  const auto node = [&](int i) { return DeviceSet{instance.group, instance.first + i % nodes * domain, domain}; };
  for (int shift = 1; shift < nodes; ++shift) {
    std::vector<TrafficLeg>& legs = traffic.rounds.emplace_back();
    for (int i = 0; i < nodes; ++i)
      legs.push_back({node(i), node(i + shift), domain * device_bytes_per_token, domain * device_bytes_per_s, cost::TransferMechanism::rdma});
  }
  return traffic;
}

/// Whether the network, with nothing else on it, carries a leg more slowly than the cost of a step has it.
bool is_slower_than_priced(const TrafficLeg& leg, const topologies::DevicePaths& paths) {
  constexpr double long_bytes = 1e12;
  const double start_s = paths.undisturbed_seconds({leg.from, leg.to, 0, 0, 0, leg.mechanism}).value();
  const double long_s = paths.undisturbed_seconds({leg.from, leg.to, long_bytes, 0, 0, leg.mechanism}).value();
  return long_s - start_s > 1.001 * long_bytes / leg.priced_bytes_per_s;
}

}  // namespace

std::vector<InstanceTraffic> expert_traffic(const scenarios::CheckedScenario& checked) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  std::vector<InstanceTraffic> all;
  if (!checked.fabric) return all;
  int sending = 0;
  bool can_be_late = !checked.fabric->connections.empty();
  for (const scenarios::PoolSpec& pool : scenario.pools) {
    const scenarios::RackGroupSpec& racks = scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)];
    const int domain = racks.scale_up_devices;
    const bool spans = !pool.dataflow && domain > 0 && pool.parallelism.expert > domain && racks.nic_bytes_per_s;
    const double bytes = spans ? remote_bytes_per_token(pool, domain) : 0;
    for (int i = 0; i < pool.instances; ++i) {
      all.emplace_back();
      if (bytes <= 0) continue;
      all.back() = between_nodes(scenarios::device_set(pool, i), domain, bytes, priced_bytes_per_s(racks));
      const TrafficLeg& first = all.back().rounds.front().front();
      can_be_late = can_be_late || ++sending > 1 || is_slower_than_priced(first, *checked.fabric->paths);
    }
  }
  if (!can_be_late) all.clear();
  return all;
}

}  // namespace rackwright::run
