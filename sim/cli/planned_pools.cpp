#include "sim/cli/planned_pools.h"

#include <nlohmann/json.hpp>

#include "models/base/quantity.h"

namespace rackwright::cli {
namespace {

nlohmann::ordered_json on_chip_json(const cost::DataflowPlan& plan) {
  return {{"devices", plan.devices},
          {"devices_for_weights", plan.devices_for_weights},
          {"stages", plan.stages},
          {"on_chip_bytes", plan.on_chip_bytes},
          {"weights", plan.weights == cost::WeightTier::on_chip ? "on-chip" : "off-chip"},
          {"weight_bytes", plan.weight_bytes},
          {"activation_bytes", plan.activation_bytes},
          {"kv_on_chip_bytes", plan.kv_on_chip_bytes},
          {"kv_off_chip_bytes", plan.kv_off_chip_bytes}};
}

}  // namespace

std::string on_chip_text(const scenarios::CheckedScenario& scenario, report::TextStyle style) {
  report::TextTable table({"On chip", "devices", "needed for weights", "stages", "memory", "weights", "left", "activations", "KV on chip", "KV off chip"});
  bool any = false;
  for (std::size_t i = 0; i < scenario.spec.pools.size(); ++i) {
    if (!scenario.plans[i].dataflow) continue;
    any = true;
    const cost::DataflowPlan& plan = *scenario.plans[i].dataflow;
    const bool resident = plan.weights == cost::WeightTier::on_chip;
    table.add({scenario.spec.pools[i].name, std::to_string(plan.devices), std::to_string(plan.devices_for_weights), std::to_string(plan.stages),
               format_quantity(plan.on_chip_bytes, "B", 4), format_quantity(plan.weight_bytes, "B", 3) + (resident ? "" : " off chip"),
               resident ? format_quantity(plan.on_chip_bytes - plan.weight_bytes, "B", 3) : "", format_quantity(plan.activation_bytes, "B", 3),
               format_quantity(plan.kv_on_chip_bytes, "B", 3), format_quantity(plan.kv_off_chip_bytes, "B", 3)});
  }
  return any ? "\n" + table.text(style) : "";
}

nlohmann::ordered_json pools_json(const scenarios::CheckedScenario& scenario) {
  auto pools = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < scenario.spec.pools.size(); ++i) {
    const scenarios::PoolSpec& pool = scenario.spec.pools[i];
    const scenarios::PoolPlan& plan = scenario.plans[i];
    nlohmann::ordered_json one{{"pool", pool.name},
                               {"instances", pool.instances},
                               {"devices_per_instance", pool.devices_per_instance()},
                               {"weight_bytes_per_device", plan.memory.weight_bytes},
                               {"activation_bytes_per_device", plan.memory.activation_bytes},
                               {"kv_bytes_per_device", plan.memory.kv_bytes},
                               {"kv_tokens", plan.kv_blocks / plan.kv_layout.groups() * plan.kv_layout.block_tokens()}};
    if (scenario.spec.hall.groups[static_cast<std::size_t>(pool.devices.group)].has_device_power())
      one["idle_power_w"] = static_cast<double>(plan.cost->idle_power_mw()) / 1000;
    if (plan.dataflow) one["on_chip"] = on_chip_json(*plan.dataflow);
    pools.push_back(std::move(one));
  }
  return pools;
}

}  // namespace rackwright::cli
