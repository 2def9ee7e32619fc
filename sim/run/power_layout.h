#pragma once

#include <string>
#include <vector>

#include "scenarios/check/pool_plan.h"
#include "scenarios/results/run_description.h"
#include "scenarios/spec/scenario_spec.h"
#include "sim/metrics/run_layout.h"

namespace rackwright::run {

/// Which rack each instance draws its power in, and what each rack draws whatever runs: base power of racks and nodes,
/// and the idle power of devices that no pool uses. A part whose power is unknown counts as nothing and is named.
struct PowerLayout {
  std::vector<results::RackDescription> racks;
  std::vector<metrics::InstanceLayout> instances;
  std::vector<metrics::InstanceLayout> station_devices;
  std::vector<std::int64_t> rack_base_power_mw;
  std::vector<std::string> left_out;
  bool is_known = true;  ///< Every device of a pool has figures of its power.
};

PowerLayout power_layout(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans);

}  // namespace rackwright::run
