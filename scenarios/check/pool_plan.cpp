#include "scenarios/check/pool_plan.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/cost/make_step_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/vllm_profile_reader.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/check/board_rating.h"
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
    if (racks.collectives_follow_link) inputs.scale_up->ring_step_s = racks.scale_up_latency_s;
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

/// The measured operators that the racks' devices name. A profile that vLLM's profiler took is of one model and degree.
std::shared_ptr<const cost::OperatorProfile> profile_of(const RackGroupSpec& racks, const llm::ShardedShape& sharded,
                                                        const Catalog& catalog, Diagnostics& diagnostics) {
  if (racks.profile_folder.empty()) return racks.profile.empty() ? nullptr : catalog.profile(racks.profile);
  const std::filesystem::path folder = racks.profile_folder;
  if (std::filesystem::exists(folder / "meta.yaml")) {
    return std::make_shared<const cost::OperatorProfile>(cost::read_vllm_profile(folder, sharded, diagnostics));
  }
  return std::make_shared<const cost::OperatorProfile>(cost::read_profile(folder, diagnostics));
}

/// Names every figure that the cost of a step needs and neither the catalog nor the scenario gives.
bool has_needed_figures(const RackGroupSpec& racks, const std::string& pool_path, Findings& findings) {
  const hardware::DeviceSpec& device = racks.device;
  if (device.device_class == hardware::DeviceClass::sram) {
    findings.error(pool_path + ".on", fmt::format("{} keeps weights in on-chip memory, which is not modelled yet", device.name),
                   "place the pool on devices with off-chip memory");
    return false;
  }
  bool all = true;
  const auto need = [&](bool known, const char* field, const char* example) {
    if (known) return;
    all = false;
    const std::string path = fmt::format("facility.racks.{}.rack.node.device.{}", racks.name, field);
    findings.error(path, fmt::format("the catalog does not know it of {}", device.name),
                   fmt::format("--set {}='{}' or the like assumes a value", path, example));
  };
  need(device.peak.bf16_flop_per_s.has_value(), "peak.bf16", "400 TFLOP/s");
  need(device.memory_bytes.has_value(), "memory.capacity", "96 GB");
  need(device.memory_bytes_per_s.has_value(), "memory.bandwidth", "2 TB/s");
  need(device.idle_power_w.has_value(), "power.idle", "100 W");
  need(device.limit_power_w.has_value(), "power.limit", "700 W");
  return all;
}

PoolPlan plan(const PoolSpec& pool, const RackGroupSpec& racks, const std::string& path, const Catalog& catalog, Findings& findings) {
  PoolPlan plan;
  if (!has_needed_figures(racks, path, findings)) return plan;
  const Location where = findings.place(path);
  Diagnostics& diagnostics = findings.diagnostics();
  Diagnostics reported_below;  // make_step_cost says the same of a split that does not work.
  const llm::ShardedShape sharded = llm::shard(pool.model, pool.parallelism, where, path, reported_below);
  cost::StepCostInputs inputs = cost_inputs(pool, racks, where, path);
  inputs.device.rated_power_w = rated_power_w(catalog, racks.device.name);
  const int errors_before = diagnostics.error_count();
  if (!reported_below.has_errors()) inputs.profile = profile_of(racks, sharded, catalog, diagnostics);
  if (diagnostics.error_count() > errors_before) return plan;
  plan.cost = cost::make_step_cost(inputs, diagnostics);
  if (!plan.cost) return plan;
  const auto memory = cost::memory_plan(sharded, racks.device, memory_spec(pool), where, path, diagnostics);
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
