#include "sim/run/layer_traffic.h"

#include <algorithm>

#include "scenarios/check/pool_connections.h"
#include "scenarios/spec/layer_sides_reader.h"
#include "sim/run/traffic_leg.h"

namespace rackwright::run {

void add_layer_traffic(const scenarios::CheckedScenario& checked, std::vector<InstanceTraffic>& by_instance) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  const bool has_experts = std::ranges::any_of(by_instance, [](const InstanceTraffic& one) { return !one.rounds.empty(); });
  if (!checked.fabric || (checked.fabric->connections.size() < 2 && !has_experts)) return;
  std::size_t instance = 0;
  for (std::size_t a = 0; a < scenario.pools.size(); ++a) {
    const scenarios::PoolSpec& attention = scenario.pools[a];
    const std::size_t first = instance;
    instance += static_cast<std::size_t>(attention.instances);
    if (attention.role != scenarios::PoolRole::attention) continue;
    const std::size_t f = *scenarios::ffn_pool_of(scenario.pools, attention);
    const auto layers = std::dynamic_pointer_cast<const cost::AttentionFfnStepCost>(checked.plans[a].cost);
    if (!layers || scenarios::find_connection(&*checked.fabric, f, a) == nullptr) continue;
    by_instance.resize(std::max(by_instance.size(), first + 1));
    const topologies::DeviceSet here = scenarios::device_set(attention, 0);
    const topologies::DeviceSet there = scenarios::device_set(scenario.pools[f], 0);
    const auto& mechanism = scenario.pools[f].side.mechanism;
    const topologies::DevicePaths& paths = *checked.fabric->paths;
    by_instance[first] = {{{traffic_leg(here, there, {.per_token = layers->send_bytes_per_token()}, mechanism, paths),
                            traffic_leg(there, here, {.per_token = layers->return_bytes_per_token()}, mechanism, paths)}},
                          layers};
  }
}

}  // namespace rackwright::run
