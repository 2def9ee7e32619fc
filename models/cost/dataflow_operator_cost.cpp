#include "models/cost/dataflow_operator_cost.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

using hardware::NumberFormat;
using llm::OperatorClass;
using llm::OperatorKind;

constexpr std::array all_formats{NumberFormat::fp32, NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp8,
                                 NumberFormat::fp6,  NumberFormat::fp4,  NumberFormat::int8, NumberFormat::int4};

// Measured effective bandwidth of an exchange over 64 devices (SHIP).
constexpr double half_rate_bytes = 32 * 1024;
constexpr double full_rate_bytes = 80 * 1024;
constexpr double half_rate = 0.5;
constexpr double full_rate = 0.9;

constexpr int node_devices = 8;
constexpr int nodes_reached = 4;

/// Seconds in which a link moves a message.
double exchange_seconds(double bytes, double link_bytes_per_s) {
  const double size = std::max(bytes, half_rate_bytes);
  const double share = std::clamp((size - half_rate_bytes) / (full_rate_bytes - half_rate_bytes), 0.0, 1.0);
  return size / ((half_rate + share * (full_rate - half_rate)) * link_bytes_per_s);
}

/// The formats that a model multiplies in.
std::vector<NumberFormat> formats_of(const llm::ModelShape& model) {
  const llm::ParameterCounts counts = llm::parameters(model);
  const llm::WeightFormats& weights = model.weights;
  std::vector<NumberFormat> formats{model.activations};  // Attention.
  const auto add = [&](std::int64_t parameters, llm::WeightFormat format) {
    if (parameters > 0) formats.push_back(llm::arithmetic_format(format));
  };
  add(counts.attention, weights.attention);
  add(counts.attention_output, weights.attention_output);
  add(counts.feed_forward, weights.feed_forward);
  add(counts.experts, weights.experts);
  add(1, model.tied_embeddings ? weights.other : weights.lm_head);
  return formats;
}

/// Rows of the residual stream that the devices of a stage exchange when the operator ends; 0 where they need not meet.
double rows_exchanged(const llm::Operator& op) {
  switch (op.kind) {
    case OperatorKind::output_projection:
    case OperatorKind::router:
    case OperatorKind::down: return op.m;
    case OperatorKind::combine: return op.tokens;
    default: return 0;
  }
}

}  // namespace

int dataflow_diameter(int devices) {
  if (devices <= 1) return 0;
  const int nodes = (devices + node_devices - 1) / node_devices;
  return 1 + (nodes - 1 + nodes_reached - 1) / nodes_reached;
}

DataflowOperatorCost::DataflowOperatorCost(const llm::ModelShape& model, const hardware::DeviceSpec& device, const DataflowPlan& plan,
                                           Provenance provenance, Tokens tokens)
    : row_bytes_(model.hidden * hardware::bits(model.activations) / 8.0), stage_devices_(plan.stage_devices), provenance_(provenance) {
  const bool on_prompt_region = tokens == Tokens::prompts && plan.prompt_region_side > 0;
  const int side = on_prompt_region ? plan.prompt_region_side : plan.region_side;
  double product_gain = 1;
  if (on_prompt_region) {
    stage_devices_ = std::min(1.0, static_cast<double>(side) * side / *device.mesh_cores);
    if (device.product_flop_per_s) product_gain = *device.product_flop_per_s / *device.peak.bf16_flop_per_s;
    shifts_s_ = side * device.shift_s.value_or(0);
  }
  for (const NumberFormat format : all_formats) {
    const double achieved = (hardware::bits(hardware::multiplied_format(device.peak, format)) <= 8 ? device.achieved_fp8_fraction : device.achieved_bf16_fraction).value_or(1);
    flop_per_s_[static_cast<std::size_t>(format)] = stage_devices_ * product_gain * achieved * hardware::multiplying_rate(device.peak, format).value_or(0);
  }
  const double achieved = device.achieved_memory_fraction.value_or(1);
  const bool resident = plan.weights == WeightTier::on_chip;
  const std::optional<double> rate = resident ? device.sram_bytes_per_s : device.memory_bytes_per_s;
  invariant(rate.has_value(), "the bandwidth of the weights is known");
  bytes_per_s_ = stage_devices_ * achieved * *rate;
  attention_bytes_per_s_ = stage_devices_ * device.achieved_attention_fraction.value_or(achieved) * *rate;
  off_chip_bytes_per_s_ = stage_devices_ * achieved * device.memory_bytes_per_s.value_or(0);
  link_bytes_per_s_ = device.scale_up_bytes_per_s.value_or(device.host_link_bytes_per_s.value_or(0));
  sync_s_ = device.sync_s.value_or(0);
  hop_s_ = device.hop_s.value_or(0);
  hops_ = side > 0 ? 2.0 * side : dataflow_diameter(static_cast<int>(std::ceil(stage_devices_)));
}

double DataflowOperatorCost::compute_seconds(const llm::Operator& op) const {
  const double rate = flop_per_s_[static_cast<std::size_t>(op.format)];
  invariant(rate > 0, "the rate of a format that the model uses is known");
  return op.flops / rate;
}

double DataflowOperatorCost::memory_seconds(const llm::Operator& op) const {
  return op.bytes / (class_of(op.kind) == OperatorClass::decode_attention ? attention_bytes_per_s_ : bytes_per_s_);
}

double DataflowOperatorCost::sync_seconds(double message_bytes) const {
  double seconds = sync_s_ + hops_ * hop_s_;
  if (stage_devices_ > 1) seconds += 2 * (stage_devices_ - 1) / stage_devices_ * exchange_seconds(message_bytes, link_bytes_per_s_);
  return seconds;
}

double DataflowOperatorCost::handover_seconds(double tokens) const {
  return link_bytes_per_s_ > 0 ? hop_s_ + exchange_seconds(tokens * row_bytes_, link_bytes_per_s_) : hop_s_;
}

double DataflowOperatorCost::off_chip_seconds(double bytes) const {
  return bytes * (1 / off_chip_bytes_per_s_ - 1 / bytes_per_s_);
}

OperatorCost DataflowOperatorCost::cost(const llm::Operator& op) const {
  OperatorCost result;
  result.provenance = provenance_;
  if (const double rows = rows_exchanged(op); rows > 0) result.parts.link_s = sync_seconds(rows * row_bytes_);
  const OperatorClass operator_class = class_of(op.kind);
  if (operator_class == OperatorClass::memory || operator_class == OperatorClass::collective) return result;
  const double compute_s = compute_seconds(op);
  const double memory_s = memory_seconds(op);
  (compute_s > memory_s ? result.parts.sm_clock_s : result.parts.memory_s) = std::max(compute_s, memory_s);
  result.parts.link_s += class_of(op.kind) == OperatorClass::prefill_attention ? 2 * shifts_s_ : shifts_s_;
  result.memory_busy_s = memory_s;
  result.compute_busy_s = compute_s;
  return result;
}

std::vector<double> DataflowOperatorCost::decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const {
  std::vector<double> knots{mean_context(shortest), mean_context(longest)};
  // Both sides are straight lines in the context, so they cross at most once: the knee.
  const double before = compute_seconds(shortest) - memory_seconds(shortest);
  const double after = compute_seconds(longest) - memory_seconds(longest);
  if (before * after < 0) knots.insert(knots.begin() + 1, knots[0] + (knots[1] - knots[0]) * before / (before - after));
  return knots;
}

bool check_dataflow_inputs(const llm::ModelShape& model, const hardware::DeviceSpec& device, const DataflowPlan& plan,
                           const Location& where, const std::string& path, Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  const auto need = [&](bool known, std::string_view field) {
    if (!known) diagnostics.error(where, path, fmt::format("the catalog does not know {} of {}", field, device.name),
                                  fmt::format("set {} of the device; the result is then marked as assumed", field));
  };
  for (const NumberFormat format : formats_of(model)) {
    if (hardware::multiplying_rate(device.peak, format)) continue;
    need(false, fmt::format("peak.{} (or that of a wider format)", to_string(format)));
    break;
  }
  if (device.product_flop_per_s) need(device.peak.bf16_flop_per_s.has_value(), "peak.bf16");
  if (plan.weights == WeightTier::on_chip) need(device.sram_bytes_per_s.has_value(), "on_chip.bandwidth");
  const bool linked = device.scale_up_bytes_per_s || device.host_link_bytes_per_s;
  if (plan.devices > 1) need(linked, "links.scale_up");
  if (plan.devices > 1 || plan.region_side > 0) need(device.hop_s.has_value(), "dataflow.hop_latency");
  return diagnostics.error_count() == before;
}

}  // namespace rackwright::cost
