#include "scenarios/check/pool_plan.h"

#include <fmt/format.h>

#include "models/base/names.h"
#include "models/cost/make_step_cost.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

cost::StepCostInputs cost_inputs(const PoolSpec& pool, const RackGroupSpec& racks, const Location& where, const std::string& path) {
  cost::StepCostInputs inputs;
  inputs.model = pool.model;
  inputs.parallelism = pool.parallelism;
  inputs.device = racks.device;
  if (racks.device.scale_up_bytes_per_s) {
    inputs.scale_up = cost::scale_up_spec(racks.device.scale_up_link, *racks.device.scale_up_bytes_per_s);
    inputs.scale_up->in_fabric_reduction = racks.in_network_reduction;
  }
  inputs.execution = pool.execution;
  inputs.device_provenance = racks.device_figures_are_assumed ? cost::Provenance::assumed : cost::Provenance::datasheet;
  inputs.where = where;
  inputs.path = path;
  return inputs;
}

cost::MemorySpec memory_spec(const PoolSpec& pool) {
  cost::MemorySpec spec;
  spec.utilization = pool.kv_cache.memory_fraction;
  spec.block_tokens = pool.kv_cache.block_tokens;
  spec.max_tokens = pool.scheduler.token_budget;
  spec.max_sequences = pool.scheduler.max_sequences;
  return spec;
}

/// The measured operators that the racks' devices name.
std::shared_ptr<const cost::OperatorProfile> profile_of(const RackGroupSpec& racks, const Catalog& catalog, Findings& findings) {
  if (racks.profile.empty()) return nullptr;
  std::shared_ptr<const cost::OperatorProfile> profile = catalog.profile(racks.profile);
  if (!profile) {
    findings.error(fmt::format("facility.racks.{}.rack.node.device.profile", racks.name), fmt::format("no kernel profile is called '{}'", racks.profile),
                   name_hint(racks.profile, catalog.profile_names()));
  }
  return profile;
}

PoolPlan plan(const PoolSpec& pool, const RackGroupSpec& racks, const std::string& path, const Catalog& catalog, Findings& findings) {
  PoolPlan plan;
  const Location where = findings.place(path);
  cost::StepCostInputs inputs = cost_inputs(pool, racks, where, path);
  inputs.profile = profile_of(racks, catalog, findings);
  plan.cost = cost::make_step_cost(inputs, findings.diagnostics());
  if (!plan.cost) return plan;

  Diagnostics reported_already;
  const llm::ShardedShape sharded = llm::shard(pool.model, pool.parallelism, where, path, reported_already);
  const auto memory = cost::memory_plan(sharded, racks.device, memory_spec(pool), where, path, findings.diagnostics());
  if (!memory) return plan;
  plan.memory = *memory;
  plan.kv_blocks = pool.kv_cache.blocks.value_or(memory->kv_blocks);
  if (plan.kv_blocks > memory->kv_blocks) {
    findings.error(path + ".kv_cache.blocks", fmt::format("{} blocks do not fit: the memory leaves room for {}", plan.kv_blocks, memory->kv_blocks),
                   "leave it out to use what fits");
  }
  return plan;
}

}  // namespace

std::vector<PoolPlan> plan_pools(const ScenarioSpec& scenario, const Catalog& catalog, Findings& findings) {
  std::vector<PoolPlan> plans;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    const RackGroupSpec& racks = scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)];
    plans.push_back(plan(pool, racks, fmt::format("deployment[{}]", i), catalog, findings));
  }
  return plans;
}

}  // namespace rackwright::scenarios
