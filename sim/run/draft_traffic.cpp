#include "sim/run/draft_traffic.h"

#include <algorithm>

#include "scenarios/check/pool_connections.h"
#include "scenarios/spec/speculation_reader.h"
#include "sim/run/traffic_leg.h"

namespace rackwright::run {

void add_draft_traffic(const scenarios::CheckedScenario& checked, std::vector<InstanceTraffic>& by_instance) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  const bool has_steps = std::ranges::any_of(by_instance, [](const InstanceTraffic& one) { return !one.rounds.empty(); });
  if (!checked.fabric) return;
  std::size_t first = 0;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const scenarios::PoolSpec& target = scenario.pools[i];
    const std::size_t begin = first;
    first += static_cast<std::size_t>(target.instances);
    const auto d = target.speculation ? scenarios::draft_pool_of(scenario.pools, target) : std::nullopt;
    if (!d || scenarios::find_connection(&*checked.fabric, *d, i) == nullptr) continue;
    if (checked.fabric->connections.size() < 2 && !has_steps && target.instances < 2) continue;
    by_instance.resize(std::max(by_instance.size(), first));
    const scenarios::SpeculationSpec& spec = *target.speculation;
    for (int one = 0; one < target.instances; ++one) {
      InstanceTraffic& traffic = by_instance[begin + static_cast<std::size_t>(one)];
      if (!traffic.rounds.empty()) continue;
      const topologies::DeviceSet here = scenarios::device_set(target, one);
      const topologies::DeviceSet there = scenarios::device_set(scenario.pools[*d], one);
      const BytesOfLeg bytes{.per_sample = spec.tokens * spec.bytes_per_token};
      traffic.rounds = {{traffic_leg(there, here, bytes, std::nullopt, *checked.fabric->paths),
                         traffic_leg(here, there, bytes, std::nullopt, *checked.fabric->paths)}};
      // Serial waits for both ways; in parallel each side waits for the other's.
      const bool is_serial = spec.mode == scenarios::SpeculationSpec::Mode::serial;
      traffic.lateness = is_serial ? InstanceTraffic::Lateness::sum : InstanceTraffic::Lateness::longest;
    }
  }
}

}  // namespace rackwright::run
