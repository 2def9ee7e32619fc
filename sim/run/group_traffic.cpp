#include "sim/run/group_traffic.h"

#include "models/cost/node_collectives.h"
#include "models/llm/operator_graph.h"
#include "scenarios/check/scale_up_plan.h"

namespace rackwright::run {
namespace {

using topologies::DeviceSet;

/// Bytes that one scale-up domain of an instance sends out: of each token that a step computes, and each that it samples.
struct Crossing {
  double per_token = 0;
  double per_sample = 0;
};

/// Of one operator. What is exchanged with all ranks alike: the part to ranks elsewhere, from each device of the domain.
double crossing_bytes(const llm::Operator& op, const cost::ScaleUpSpec& link) {
  if (!cost::leaves_domain(link, op)) return 0;
  if (op.kind != llm::OperatorKind::all_to_all) return op.count * cost::node_collective_bytes(link, op);
  const double of_device = op.network_bytes > 0 ? op.network_bytes : op.message_bytes * (1 - static_cast<double>(link.domain_ranks) / op.ranks);
  return op.count * of_device * link.domain_ranks;
}

Crossing crossing_of(const scenarios::PoolSpec& pool, const cost::ScaleUpSpec& link) {
  constexpr std::int64_t many = 65'536;  // So that rounding of tokens to data ranks does not show.
  Diagnostics known;                     // The pool's plan has said what there is to say.
  const llm::ShardedShape sharded = llm::shard(pool.model, pool.parallelism, {}, "", known);
  Crossing crossing;
  for (const llm::Operator& op : llm::token_operators(sharded, many)) crossing.per_token += crossing_bytes(op, link) / many;
  for (const llm::Operator& op : llm::row_operators(sharded, many)) crossing.per_sample += crossing_bytes(op, link) / many;
  return crossing;
}

InstanceTraffic between_domains(const DeviceSet& instance, const Crossing& crossing, const cost::ScaleUpSpec& link, bool to_all) {
  InstanceTraffic traffic;
  const int domain = link.domain_ranks;
  const int domains = instance.count / domain;
  const auto at = [&](int i) { return DeviceSet{instance.group, instance.first + i % domains * domain, domain}; };
  for (int shift = 1; shift < (to_all ? domains : 2); ++shift) {
    std::vector<TrafficLeg>& legs = traffic.rounds.emplace_back();
    for (int i = 0; i < domains; ++i)
      legs.push_back({at(i), at(i + shift), crossing.per_token, domain * link.remote_bytes_per_s, cost::TransferMechanism::rdma, crossing.per_sample});
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

std::vector<InstanceTraffic> group_traffic(const scenarios::CheckedScenario& checked) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  std::vector<InstanceTraffic> all;
  if (!checked.fabric) return all;
  int sending = 0;
  bool can_be_late = !checked.fabric->connections.empty();
  for (const scenarios::PoolSpec& pool : scenario.pools) {
    const scenarios::RackGroupSpec& racks = scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)];
    const auto link = scenarios::leaves_scale_up_domain(pool, racks) ? scenarios::scale_up_of(pool, racks, scenario.fabric) : std::nullopt;
    const Crossing crossing = link ? crossing_of(pool, *link) : Crossing{};
    for (int i = 0; i < pool.instances; ++i) {
      all.emplace_back();
      if (crossing.per_token <= 0) continue;
      all.back() = between_domains(scenarios::device_set(pool, i), crossing, *link, pool.parallelism.tensor <= racks.scale_up_devices);
      const TrafficLeg& first = all.back().rounds.front().front();
      can_be_late = can_be_late || ++sending > 1 || is_slower_than_priced(first, *checked.fabric->paths);
    }
  }
  if (!can_be_late) all.clear();
  return all;
}

}  // namespace rackwright::run
