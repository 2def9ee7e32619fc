#include "models/cost/roofline_cost.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

using hardware::NumberFormat;
using llm::OperatorClass;

constexpr std::array all_formats{NumberFormat::fp32, NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp8,
                                 NumberFormat::fp6,  NumberFormat::fp4,  NumberFormat::int8, NumberFormat::int4};

}  // namespace

Efficiencies default_efficiencies(const hardware::DeviceSpec& device) {
  Efficiencies e;
  if (device.achieved_bf16_fraction) e.gemm_bf16 = *device.achieved_bf16_fraction;
  e.gemm_fp8 = device.achieved_fp8_fraction.value_or(e.gemm_bf16 * fp8_to_bf16);
  if (!device.achieved_bf16_fraction && device.achieved_fp8_fraction) e.gemm_bf16 = std::min(1.0, e.gemm_fp8 / fp8_to_bf16);
  e.prefill_attention = std::min(e.prefill_attention, e.gemm_bf16);
  e.decode_attention = std::min(e.decode_attention, e.gemm_bf16);
  if (device.achieved_memory_fraction)
    e.gemm_memory = e.attention_memory = e.other_memory = *device.achieved_memory_fraction;
  if (device.achieved_attention_fraction) e.attention_memory = *device.achieved_attention_fraction;
  if (device.kernel_launch_graph_s) e.gemm_kernel_s = e.attention_kernel_s = e.other_kernel_s = *device.kernel_launch_graph_s;
  return e;
}

RooflineOperatorCost::RooflineOperatorCost(const hardware::DeviceSpec& device, const Efficiencies& efficiencies,
                                           const std::optional<ScaleUpSpec>& scale_up)
    : efficiencies_(efficiencies), scale_up_(scale_up) {
  for (const NumberFormat format : all_formats) {
    const auto rate = hardware::multiplying_rate(device.peak, format);
    invariant(rate.has_value(), "the peak bf16 rate is known");
    peak_flop_per_s_[static_cast<std::size_t>(format)] = *rate;
    multiplied_[static_cast<std::size_t>(format)] = hardware::multiplied_format(device.peak, format);
  }
  invariant(device.memory_bytes_per_s.has_value(), "the memory bandwidth is known");
  memory_bytes_per_s_ = *device.memory_bytes_per_s;
}

double RooflineOperatorCost::peak_rate(NumberFormat format) const { return peak_flop_per_s_[static_cast<std::size_t>(format)]; }

double RooflineOperatorCost::compute_seconds(const llm::Operator& op) const {
  const double gemm = hardware::bits(multiplied(op.format)) <= 8 ? efficiencies_.gemm_fp8 : efficiencies_.gemm_bf16;
  double fraction = 1;
  switch (class_of(op.kind)) {
    case OperatorClass::gemm: fraction = gemm; break;
    case OperatorClass::grouped_gemm: fraction = gemm * efficiencies_.grouped_gemm; break;
    case OperatorClass::prefill_attention: fraction = efficiencies_.prefill_attention; break;
    case OperatorClass::decode_attention: fraction = efficiencies_.decode_attention; break;
    case OperatorClass::memory:
    case OperatorClass::collective: return 0;
  }
  return op.flops / (fraction * peak_rate(op.format));
}

double RooflineOperatorCost::bytes(const llm::Operator& op) const {
  const OperatorClass operator_class = class_of(op.kind);
  if (operator_class != OperatorClass::gemm && operator_class != OperatorClass::grouped_gemm) return op.bytes;
  // Inputs are read in the format of the multiplication: the operator counts its own, fp32 activations aside.
  const int wider = std::min(hardware::bits(multiplied(op.format)), 16) - std::min(hardware::bits(op.format), 16);
  return op.bytes + op.m * op.k * wider / 8.0;
}

double RooflineOperatorCost::memory_seconds(const llm::Operator& op) const {
  double fraction = efficiencies_.other_memory;
  switch (class_of(op.kind)) {
    case OperatorClass::gemm:
    case OperatorClass::grouped_gemm: fraction = efficiencies_.gemm_memory; break;
    case OperatorClass::prefill_attention:
    case OperatorClass::decode_attention: fraction = efficiencies_.attention_memory; break;
    case OperatorClass::memory:
    case OperatorClass::collective: break;
  }
  return bytes(op) / (fraction * memory_bytes_per_s_);
}

double RooflineOperatorCost::kernel_seconds(const llm::Operator& op) const {
  switch (class_of(op.kind)) {
    case OperatorClass::gemm:
    case OperatorClass::grouped_gemm: return op.kernels * efficiencies_.gemm_kernel_s;
    case OperatorClass::prefill_attention:
    case OperatorClass::decode_attention: return op.kernels * efficiencies_.attention_kernel_s;
    case OperatorClass::memory:
    case OperatorClass::collective: break;
  }
  return op.kernels * efficiencies_.other_kernel_s;
}

OperatorCost RooflineOperatorCost::cost(const llm::Operator& op) const {
  const OperatorClass operator_class = class_of(op.kind);
  OperatorCost result;
  result.provenance = efficiencies_.provenance;
  if (operator_class == OperatorClass::collective) {
    if (op.ranks <= 1) return result;
    invariant(scale_up_.has_value(), "devices that share work are joined");
    const CollectiveTime time = collective_time(*scale_up_, op);
    result.parts.link_s = time.seconds;
    result.provenance = time.provenance;
    return result;
  }
  double memory_s = memory_seconds(op);
  double compute_s = compute_seconds(op);
  if (const ShareMap& shares = efficiencies_.shares[static_cast<std::size_t>(operator_class)]; !shares.empty()) {
    const double peak_compute_s = operator_class == OperatorClass::memory ? 0 : op.flops / peak_rate(op.format);
    const double peak_memory_s = op.bytes / memory_bytes_per_s_;
    const double share = shares.at(share_place(op, peak_compute_s, peak_memory_s, efficiencies_.multiprocessors));
    compute_s = peak_compute_s / share;
    memory_s = peak_memory_s / share;
  }
  (compute_s > memory_s ? result.parts.sm_clock_s : result.parts.memory_s) = std::max(compute_s, memory_s);
  // Starting and draining a kernel follows the SM clock.
  result.parts.sm_clock_s += kernel_seconds(op);
  result.memory_busy_s = bytes(op) / memory_bytes_per_s_;
  if (operator_class != OperatorClass::memory) result.compute_busy_s = op.flops / peak_rate(op.format);
  return result;
}

std::vector<double> RooflineOperatorCost::decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const {
  std::vector<double> knots{mean_context(shortest), mean_context(longest)};
  if (!efficiencies_.shares[static_cast<std::size_t>(OperatorClass::decode_attention)].empty()) {
    // Queries count beside few keys: no straight line, so it is cut at every doubling.
    knots.pop_back();
    while (2 * knots.back() < mean_context(longest)) knots.push_back(2 * knots.back());
    knots.push_back(mean_context(longest));
    return knots;
  }
  // Both sides are straight lines in the context, so they cross at most once: the knee.
  const double before = compute_seconds(shortest) - memory_seconds(shortest);
  const double after = compute_seconds(longest) - memory_seconds(longest);
  if (before * after < 0) knots.insert(knots.begin() + 1, knots[0] + (knots[1] - knots[0]) * before / (before - after));
  return knots;
}

bool check_roofline_inputs(const hardware::DeviceSpec& device, const Location& where, const std::string& path,
                           Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  const auto need = [&](const std::optional<double>& value, std::string_view field) {
    if (value && *value > 0) return;
    diagnostics.error(where, path, fmt::format("the catalog does not know {} of {}", field, device.name),
                      fmt::format("set {} of the device; the result is then marked as assumed", field));
  };
  need(device.peak.bf16_flop_per_s, "peak.bf16_flop_per_s");
  need(device.memory_bytes_per_s, "memory_bytes_per_s");
  return diagnostics.error_count() == before;
}

}  // namespace rackwright::cost
