#include "models/cost/dataflow_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/base/quantity.h"

namespace rackwright::cost {
namespace {

/// Prompts pass in beats of at most so many tokens: longer ones need more buffers and win nothing, since a stage is bound
/// by arithmetic from a few tokens on (SHIP: 8 to 128).
constexpr int longest_prompt_beat = 128;

/// Two live sets of a beat in every stage: the residual row twice and the widest point of a layer.
double activation_bytes(const llm::ModelShape& model, int stages, int beat_tokens) {
  double width = 0;
  for (const llm::LayerShape& layer : model.layers) {
    const llm::FeedForwardShape& f = layer.feed_forward;
    width = std::max<double>(width, f.dense_width + f.shared_width + static_cast<double>(f.experts_per_token) * f.expert_width);
  }
  const double row = (2.0 * model.hidden + 3 * width) * hardware::bits(model.activations) / 8;
  return 2.0 * stages * beat_tokens * row;
}

/// Of the region r x r that computes `tokens` in A / r² and loses B · r, `lost_s` a layer: r = (2 A / B)^(1/3), in steps of 20 cores.
int fastest_side(const llm::ModelShape& model, const hardware::DeviceSpec& device, std::optional<double> flop_per_s, double tokens, double lost_s) {
  const int whole = static_cast<int>(std::sqrt(*device.mesh_cores));
  if (lost_s <= 0 || !flop_per_s) return whole;
  const double a = 2.0 * tokens * static_cast<double>(llm::active_parameters(model)) * *device.mesh_cores / *flop_per_s;
  const int side = static_cast<int>(std::lround(std::cbrt(2 * a / (lost_s * llm::layer_count(model))) / 20)) * 20;
  return std::clamp(side, std::min(20, whole), whole);
}

std::string bytes_text(double bytes) { return format_quantity(bytes, "B", 4); }

}  // namespace

double DataflowPlan::slowest_stage() const { return std::ceil(static_cast<double>(layers) / stages) / layers; }

MemoryPlan DataflowPlan::per_device(int block_tokens) const {
  MemoryPlan plan;
  plan.memory_bytes = plan.usable_bytes = (on_chip_bytes + off_chip_bytes) / devices;
  plan.weight_bytes = weight_bytes / devices;
  plan.activation_bytes = activation_bytes / devices;
  plan.kv_block_bytes = kv_bytes_per_token * block_tokens / devices;
  plan.kv_blocks = kv_blocks;
  plan.kv_tokens = kv_blocks * block_tokens;
  plan.kv_bytes = static_cast<double>(kv_blocks) * plan.kv_block_bytes;
  return plan;
}

int default_stages(const llm::ModelShape& model, const hardware::DeviceSpec& device, int devices, WeightTier weights, int region_side) {
  if (weights == WeightTier::off_chip) return 1;
  int places = devices;
  if (device.mesh_cores) places *= std::max(1, *device.mesh_cores / (region_side * region_side));
  const int layers = llm::layer_count(model);
  const int layers_of_one = (layers + places - 1) / places;
  return (layers + layers_of_one - 1) / layers_of_one;
}

int default_region_side(const llm::ModelShape& model, const hardware::DeviceSpec& device) {
  // Two reductions a layer, each over the two sides of the region.
  return fastest_side(model, device, device.peak.bf16_flop_per_s, 1, device.hop_s.value_or(0) * 4);
}

int default_prompt_region_side(const llm::ModelShape& model, const hardware::DeviceSpec& device) {
  constexpr double tokens = 2048;
  constexpr double products_of_layer = 6;  // Four of a dense layer's weights, two of its attention.
  return fastest_side(model, device, device.product_flop_per_s ? device.product_flop_per_s : device.peak.bf16_flop_per_s, tokens,
                      device.shift_s.value_or(0) * products_of_layer);
}

std::optional<DataflowPlan> dataflow_plan(const llm::ModelShape& model, const hardware::DeviceSpec& device, const DataflowPlacement& placement,
                                          const MemorySpec& memory, const Location& where, const std::string& path,
                                          Diagnostics& diagnostics) {
  invariant(device.sram_bytes.has_value(), "the on-chip memory is known");
  DataflowPlan plan;
  plan.devices = placement.devices;
  plan.layers = llm::layer_count(model);
  plan.on_chip_bytes = memory.utilization * placement.devices * *device.sram_bytes;
  // Memory of unknown bandwidth cannot be priced, and is not used.
  plan.off_chip_bytes = device.memory_bytes_per_s ? memory.utilization * placement.devices * device.memory_bytes.value_or(0) : 0;
  plan.weight_bytes = placement.weight_bytes.value_or(llm::weight_bytes(llm::parameters(model), model.weights));
  const double devices_for_weights = std::ceil(plan.weight_bytes / (memory.utilization * *device.sram_bytes));
  plan.devices_for_weights = static_cast<int>(std::min<double>(devices_for_weights, std::numeric_limits<int>::max()));
  plan.weights = plan.weight_bytes <= plan.on_chip_bytes ? WeightTier::on_chip : WeightTier::off_chip;
  if (device.mesh_cores) {
    plan.region_side = placement.region_side.value_or(default_region_side(model, device));
    plan.prompt_region_side = placement.prompt_region_side.value_or(default_prompt_region_side(model, device));
  }
  plan.stages = placement.stages.value_or(default_stages(model, device, plan.devices, plan.weights, plan.region_side));
  plan.stage_devices = static_cast<double>(plan.devices) / plan.stages;
  if (device.mesh_cores) {
    const auto share = [&](int side, const char* field) {
      const double region = static_cast<double>(side) * side / *device.mesh_cores;
      if (region > 1) diagnostics.error(where, path + field, fmt::format("a region of {0} x {0} cores is larger than {1}", side, device.name));
      return region;
    };
    plan.stage_devices = std::min(plan.stage_devices, share(plan.region_side, ".region"));
    share(plan.prompt_region_side, ".prompt_region");
  }
  if (plan.stages > plan.layers)
    diagnostics.error(where, path + ".stages", fmt::format("{} layers cannot be split into {} stages", plan.layers, plan.stages));
  plan.beat_tokens = std::max(std::min(longest_prompt_beat, memory.max_tokens), (memory.max_sequences + plan.stages - 1) / plan.stages);
  plan.activation_bytes = memory.activation_bytes.value_or(activation_bytes(model, plan.stages, plan.beat_tokens));

  const bool resident = plan.weights == WeightTier::on_chip;
  plan.kv_on_chip_bytes = resident ? std::max(plan.on_chip_bytes - plan.weight_bytes - plan.activation_bytes, 0.0) : 0;
  plan.kv_off_chip_bytes = plan.off_chip_bytes - (resident ? 0 : plan.weight_bytes);
  plan.kv_bytes_per_token = llm::kv_bytes_per_token(model);
  const double block_bytes = plan.kv_bytes_per_token * memory.kv_layout.block_tokens();
  plan.kv_blocks = static_cast<std::int64_t>(std::floor((plan.kv_on_chip_bytes + std::max(plan.kv_off_chip_bytes, 0.0)) / block_bytes));
  if (plan.kv_off_chip_bytes < 0) {
    diagnostics.error(where, path,
                      fmt::format("{} {} with {} of on-chip memory cannot hold the weights: {}", plan.devices, device.name,
                                  bytes_text(plan.on_chip_bytes), bytes_text(plan.weight_bytes)),
                      fmt::format("the weights alone take {} of them", plan.devices_for_weights));
  } else if (plan.kv_blocks == 0) {
    diagnostics.error(where, path,
                      fmt::format("{} {} with {} of on-chip memory leave no KV block of {} beside weights of {} and activations of {}",
                                  plan.devices, device.name, bytes_text(plan.on_chip_bytes), bytes_text(block_bytes),
                                  bytes_text(plan.weight_bytes), bytes_text(plan.activation_bytes)),
                      "take more devices, fewer sequences, or store weights or KV cache in a narrower format");
  } else if (plan.stages <= plan.layers) {
    return plan;
  }
  return std::nullopt;
}

}  // namespace rackwright::cost
