#include "scenarios/check/power_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {

void warn_of_unknown_power(const ScenarioSpec& scenario, Findings& findings) {
  std::vector<std::string> missing;
  std::vector<std::string> settings;
  for (std::size_t g = 0; g < scenario.hall.groups.size(); ++g) {
    const RackGroupSpec& group = scenario.hall.groups[g];
    const bool works = std::ranges::any_of(scenario.pools, [&](const PoolSpec& pool) { return pool.devices.group == static_cast<int>(g); });
    if (!works || group.has_device_power()) continue;
    const auto need = [&](bool known, const char* field, const char* example) {
      if (known) return;
      missing.push_back(fmt::format("{} of {}", field, group.device.name));
      settings.push_back(fmt::format("--set facility.racks.{}.rack.node.device.{}='{}'", group.name, field, example));
    };
    need(group.device.idle_power_w.has_value(), "power.idle", "100 W");
    need(group.device.limit_power_w.has_value(), "power.limit", "700 W");
  }
  if (missing.empty()) return;
  findings.warning("facility", fmt::format("the catalog does not know {}: the run goes without figures of power and energy", fmt::join(missing, ", ")),
                   fmt::format("{} or the like assumes {}", fmt::join(settings, " "), missing.size() == 1 ? "a value" : "values"));
}

}  // namespace rackwright::scenarios
