#pragma once

#include <memory>
#include <string>
#include <optional>
#include <vector>

#include "models/cost/dataflow_plan.h"
#include "models/cost/memory_plan.h"
#include "models/cost/step_cost.h"
#include "scenarios/check/kv_tier_plan.h"
#include "scenarios/spec/scenario_spec.h"

namespace rackwright::scenarios {

class Catalog;
struct FabricPlan;
class Findings;

/// What an instance of a pool costs and what fits into its memory.
struct PoolPlan {
  std::shared_ptr<const cost::StepCostModel> cost;
  cost::MemoryPlan memory;  ///< Of one device.
  std::optional<cost::DataflowPlan> dataflow;  ///< Of a whole instance, on devices that keep weights on chip.
  llm::KvLayout kv_layout;
  std::int64_t kv_blocks = 0;  ///< Of all data ranks of an instance.
  std::vector<int> stage_layers;  ///< Of each pipeline stage.
  double kv_port_bytes_per_s = 0;  ///< Of an instance, to send or receive KV, where the scenario states it; else 0.
  double kv_bytes_per_s = 0;       ///< What it can send or receive, stated or over the network, with nothing else there.
  llm::KvBytes kv_bytes;           ///< As a decode pool receives it.
  std::vector<KvTierPlan> kv_tiers;
};

/// Plans one pool by itself; `path` is where findings point.
PoolPlan plan_pool(const PoolSpec& pool, const RackGroupSpec& racks, const FabricSpec& network, const std::string& path, const Catalog& catalog,
                   Findings& findings);

/// Plans every pool. What does not fit, or lacks a figure that it needs, is a finding; the plans are complete only
/// when there was none.
std::vector<PoolPlan> plan_pools(const ScenarioSpec& scenario, const Catalog& catalog, const FabricPlan* fabric, Findings& findings);

}  // namespace rackwright::scenarios
