#include "scenarios/check/pool_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/cost/make_step_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/stated_step_cost.h"
#include "models/cost/vllm_profile_reader.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/check/board_rating.h"
#include "scenarios/check/lent_calibration.h"
#include "scenarios/check/kv_transfer_plan.h"
#include "scenarios/check/layer_sides_plan.h"
#include "scenarios/check/power_figures.h"
#include "scenarios/check/scale_up_plan.h"
#include "scenarios/check/speculation_plan.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// What hides the pool's collectives on these devices: tiles at the rate that TMA copies reach of the scale-up link.
cost::OverlapSpec overlap_of(const PoolSpec& pool, const RackGroupSpec& racks, const cost::ScaleUpSpec& scale_up) {
  cost::OverlapSpec overlap = pool.communication.overlap;
  overlap.in_fabric_reduction = scale_up.in_fabric_reduction;
  if (racks.device.compute_units) overlap.sm_share = std::min(0.9, static_cast<double>(pool.communication.sms) / *racks.device.compute_units);
  // Tiles reach peers of their own domain only.
  if (pool.communication.transfers == TileTransfers::direct && pool.parallelism.tensor <= racks.scale_up_devices) {
    const cost::TransferSpec tma = cost::published_transfer(cost::TransferMechanism::tma, scale_up.name);
    overlap.direct_bytes_per_s = tma.link_fraction * scale_up.bytes_per_s;
  }
  return overlap;
}

cost::StepCostInputs cost_inputs(const PoolSpec& pool, const RackGroupSpec& racks, const FabricSpec& network, const Location& where, const std::string& path) {
  cost::StepCostInputs inputs;
  inputs.model = pool.model;
  inputs.parallelism = pool.parallelism;
  inputs.device = racks.device;
  inputs.scale_up = scale_up_of(pool, racks, network);
  if (pool.stage_link_bytes_per_s) inputs.stage_link = cost::scale_up_spec("network", *pool.stage_link_bytes_per_s);
  inputs.execution = pool.execution;
  if (inputs.scale_up) inputs.execution.collectives = overlap_of(pool, racks, *inputs.scale_up);
  if (pool.role == PoolRole::attention) {
    inputs.execution.part = cost::LayerPart::attention;
    inputs.execution.host_time_per_step_s = 0;  // Once a step, not once a micro-batch: the joined cost has it.
  }
  if (pool.role == PoolRole::ffn) inputs.execution.part = cost::LayerPart::feed_forward;
  inputs.device_provenance = racks.device_figures_are_assumed ? cost::Provenance::assumed : cost::Provenance::datasheet;
  inputs.where = where;
  inputs.path = path;
  return inputs;
}

// On chips with a static schedule, and beside a draft model whose KV shares the blocks, every row is kept.
llm::WindowedRows windowed_rows(const PoolSpec& pool) {
  const bool frees = !pool.dataflow && !pool.speculation && pool.role != PoolRole::draft;
  return frees ? pool.kv_cache.windowed_rows : llm::WindowedRows::kept;
}

cost::MemorySpec memory_spec(const PoolSpec& pool) {
  cost::MemorySpec spec;
  spec.utilization = pool.kv_cache.memory_fraction;
  spec.kv_layout = llm::kv_layout(pool.model, pool.kv_cache.block_tokens, windowed_rows(pool));
  spec.max_tokens = pool.scheduler.token_budget;
  // Attention instances share the sequences; a prompt may be one's alone.
  const int sharing = pool.role == PoolRole::attention ? std::max(1, pool.side.instances) : 1;
  spec.max_sequences = (pool.scheduler.max_sequences + sharing - 1) / sharing;
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

/// Names every figure that the cost of a step needs and neither the catalog nor the scenario gives, and powers that cannot be.
bool has_needed_figures(const PoolSpec& pool, const RackGroupSpec& racks, const std::string& path, Findings& findings) {
  const hardware::DeviceSpec& device = racks.device;
  bool all = true;
  const auto need = [&](bool known, const char* field, const char* example) {
    if (known) return;
    all = false;
    const std::string figure = fmt::format("facility.racks.{}.rack.node.device.{}", racks.name, field);
    findings.error(figure, fmt::format("the catalog does not know it of {}", device.name),
                   fmt::format("--set {}='{}' or the like assumes a value", figure, example));
  };
  if (device.device_class == hardware::DeviceClass::sram) {
    need(device.sram_bytes.has_value(), "on_chip.capacity", "230 MB");
  } else {
    need(device.memory_bytes.has_value(), "memory.capacity", "96 GB");
    need(pool.step_times || device.peak.bf16_flop_per_s, "peak.bf16", "400 TFLOP/s");
    need(pool.step_times || device.memory_bytes_per_s, "memory.bandwidth", "2 TB/s");
  }
  if (!all || !racks.has_device_power()) return all;
  if (*device.limit_power_w < *device.idle_power_w) {
    findings.error(fmt::format("facility.racks.{}.rack.node.device.power.limit", racks.name),
                   fmt::format("{} W is less than the {} W that it draws when nothing runs", *device.limit_power_w, *device.idle_power_w));
    all = false;
  }
  if (all && pool.step_times && pool.step_times->busy_w > 0 && pool.step_times->busy_w < *device.idle_power_w) {
    findings.error(path + ".step_times.power",
                   fmt::format("{} W is less than the {} W that a device draws when nothing runs", pool.step_times->busy_w, *device.idle_power_w));
    all = false;
  }
  return all;
}

/// Steps as the scenario states them, with the power of all devices of an instance.
std::shared_ptr<const cost::StepCostModel> stated_cost(const PoolSpec& pool, const hardware::DeviceSpec& device) {
  cost::StatedStepTimes times = *pool.step_times;
  const int devices = pool.devices_per_instance();
  const bool is_known = device.idle_power_w && device.limit_power_w;
  times.busy_w = !is_known ? 0 : devices * (times.busy_w > 0 ? times.busy_w : *device.limit_power_w);
  times.idle_w = !is_known ? 0 : devices * *device.idle_power_w;
  return std::make_shared<cost::StatedStepCost>(std::move(times));
}

/// With the weights of one side of the layers only, where a pool computes one.
llm::ShardedShape side_of(llm::ShardedShape sharded, PoolRole role) {
  if (role != PoolRole::attention && role != PoolRole::ffn) return sharded;
  llm::ModelShape attention = sharded.model;
  for (llm::LayerShape& layer : attention.layers) layer.feed_forward = {};
  Diagnostics unread;
  const double attention_bytes = llm::shard(attention, {.tensor = sharded.parallelism.tensor}, {}, "", unread).weight_bytes;
  sharded.weight_bytes = role == PoolRole::attention ? attention_bytes : sharded.weight_bytes - attention_bytes;
  return sharded;
}

/// Fills in the memory of an instance. Nothing is left when it does not fit.
bool plan_memory(const PoolSpec& pool, const RackGroupSpec& racks, const llm::ShardedShape& sharded, const std::string& path, Findings& findings,
                 PoolPlan& plan) {
  const Location where = findings.place(path);
  if (pool.dataflow) {
    cost::DataflowPlacement placement = *pool.dataflow;
    if (!placement.weight_bytes) placement.weight_bytes = sharded.weight_bytes;  // Of one side of the layers, where it is one.
    plan.dataflow = cost::dataflow_plan(pool.model, racks.device, placement, memory_spec(pool), where, path, findings.diagnostics());
    if (plan.dataflow) plan.memory = plan.dataflow->per_device(pool.kv_cache.block_tokens);
    return plan.dataflow.has_value();
  }
  const auto memory = cost::memory_plan(sharded, racks.device, memory_spec(pool), where, path, findings.diagnostics());
  if (memory) plan.memory = *memory;
  return memory.has_value();
}

}  // namespace

PoolPlan plan_pool(const PoolSpec& pool, const RackGroupSpec& racks, const FabricSpec& network, const std::string& path, const Catalog& catalog,
                   Findings& findings) {
  PoolPlan plan;
  if (!has_needed_figures(pool, racks, path, findings)) return plan;
  const Location where = findings.place(path);
  Diagnostics& diagnostics = findings.diagnostics();
  Diagnostics reported_below;  // make_step_cost says the same of a split that does not work.
  const llm::ShardedShape sharded = side_of(llm::shard(pool.model, pool.parallelism, where, path, reported_below), pool.role);
  cost::StepCostInputs inputs = cost_inputs(pool, racks, network, where, path);
  inputs.device.rated_power_w = rated_power_w(catalog, racks.device.name);
  const int errors_before = diagnostics.error_count();
  if (!reported_below.has_errors()) inputs.profile = profile_of(racks, sharded, catalog, diagnostics);
  lend_calibration(racks, path, catalog, inputs, findings);
  if (diagnostics.error_count() > errors_before) return plan;
  const bool fits = reported_below.has_errors() || plan_memory(pool, racks, sharded, path, findings, plan);
  inputs.dataflow = plan.dataflow;
  if (pool.step_times) plan.cost = stated_cost(pool, racks.device);
  else if (!pool.dataflow || fits) plan.cost = cost::make_step_cost(inputs, diagnostics);
  if (!plan.cost || !fits) return plan;
  plan.stage_layers = sharded.stage_layers;
  plan.kv_layout = memory_spec(pool).kv_layout;
  plan.kv_tiers = kv_tier_plans(pool, racks.device, plan.memory.kv_block_bytes * plan.kv_layout.full_groups() / pool.kv_cache.block_tokens, path, findings);
  const std::int64_t room = plan.memory.kv_blocks * pool.parallelism.data * pool.parallelism.context * pool.ranks;
  plan.kv_blocks = pool.kv_cache.blocks.value_or(room);
  if (plan.kv_blocks > room) {
    findings.error(path + ".kv_cache.blocks", fmt::format("{} blocks do not fit: the memory leaves room for {}", plan.kv_blocks, room),
                   "leave it out to use what fits");
  }
  return plan;
}

std::vector<PoolPlan> plan_pools(const ScenarioSpec& scenario, const Catalog& catalog, const FabricPlan* fabric, Findings& findings) {
  std::vector<PoolPlan> plans;
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    const RackGroupSpec& racks = scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)];
    plans.push_back(plan_pool(pool, racks, scenario.fabric, fmt::format("deployment[{}]", i), catalog, findings));
  }
  warn_of_unknown_power(scenario, findings);
  plan_speculation(scenario, catalog, fabric, plans, findings);
  plan_layer_sides(scenario, fabric, plans);
  plan_kv_transfers(scenario, fabric, plans);
  return plans;
}

}  // namespace rackwright::scenarios
