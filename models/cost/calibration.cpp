#include "models/cost/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

using llm::OperatorClass;

/// A point counts as bound by one side when that side's time at peak is this many times the other's.
constexpr double clearly = 2;
/// And when it lasts this many of the shortest kernels.
constexpr double long_enough = 3;
/// Of a kernel with hardly anything to do: what shorter calls reach is that of the kernel.
constexpr double hardly_longer = 1.2;
/// Twice the coefficients of the power law.
constexpr std::size_t fewest_loads = 6;
/// A load near the limit at less than this share of the clock was slowed down. Tensor cores alone cost an H200 a tenth of
/// the clock, at any power.
constexpr double near_limit = 0.95;
constexpr double slowed = 0.88;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Nearest rank of ascending values.
double percentile(const std::vector<double>& sorted, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Solves the normal equations of three unknowns for those in `used`; the others are 0.
std::array<double, 3> least_squares(const std::array<std::array<double, 3>, 3>& square, const std::array<double, 3>& right,
                                    const std::array<bool, 3>& used) {
  std::array<std::array<double, 4>, 3> m{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = used[i] && used[j] ? square[i][j] : (i == j ? 1.0 : 0.0);
    m[i][3] = used[i] ? right[i] : 0;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < 3; ++r) if (std::abs(m[r][i]) > std::abs(m[pivot][i])) pivot = r;
    std::swap(m[i], m[pivot]);
    if (std::abs(m[i][i]) < 1e-12) return {};
    for (std::size_t r = 0; r < 3; ++r) {
      if (r == i) continue;
      const double factor = m[r][i] / m[i][i];
      for (std::size_t c = i; c < 4; ++c) m[r][c] -= factor * m[i][c];
    }
  }
  return {m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
}

/// What share of its limit a board that holds it draws: the median of loads that it slowed down, or all of it.
double held_share(const std::vector<PowerPoint>& loads, const OperatorProfile& profile) {
  if (!profile.limit_w) return 1;
  std::vector<double> held;
  for (const PowerPoint& load : loads)
    if (load.watts > near_limit * *profile.limit_w && load.sm_clock_hz > 0 && load.sm_clock_hz < slowed * profile.full_clock_hz) held.push_back(load.watts);
  return held.size() < fewest_loads ? 1 : std::min(1.0, median(held) / *profile.limit_w);
}

}  // namespace

Efficiencies fit_efficiencies(const OperatorProfile& profile, const hardware::DeviceSpec& device) {
  Efficiencies e = default_efficiencies(device);
  e.provenance = Provenance::calibrated;
  struct Timed { llm::Operator op; double seconds; };
  std::vector<Timed> timed;
  for (const ProfilePoint& point : profile.points)
    if (point.place.key.family != ProfileFamily::mixed_attention && point.place.key.family != ProfileFamily::collective)
      timed.push_back({operator_at(point.place), point.seconds});

  // The shortest call of a group of classes is a kernel with hardly anything to do.
  const auto shortest = [&](std::initializer_list<OperatorClass> classes, double& kernel_s) {
    double least = std::numeric_limits<double>::infinity();
    for (const Timed& t : timed)
      if (std::ranges::find(classes, class_of(t.op.kind)) != classes.end()) least = std::min(least, t.seconds / t.op.kernels);
    if (std::isfinite(least)) kernel_s = least;
  };
  shortest({OperatorClass::gemm}, e.gemm_kernel_s);
  shortest({OperatorClass::prefill_attention, OperatorClass::decode_attention}, e.attention_kernel_s);
  shortest({OperatorClass::memory}, e.other_kernel_s);

  struct Reached { std::vector<double> compute, memory; };
  std::map<std::pair<OperatorClass, bool>, Reached> reached;  // By class and whether the format has 8 bits or fewer.
  for (const auto& [op, seconds] : timed) {
    const double rate = hardware::rate_of(device.peak, op.format).value_or(*device.peak.bf16_flop_per_s);
    const OperatorClass operator_class = class_of(op.kind);
    const double compute_s = operator_class == OperatorClass::memory ? 0 : op.flops / rate;
    const double memory_s = op.bytes / *device.memory_bytes_per_s;
    const bool multiplies = operator_class == OperatorClass::gemm || operator_class == OperatorClass::grouped_gemm;
    const bool attends = operator_class == OperatorClass::prefill_attention || operator_class == OperatorClass::decode_attention;
    const double kernel_s = op.kernels * (multiplies ? e.gemm_kernel_s : attends ? e.attention_kernel_s : e.other_kernel_s);
    if (seconds < long_enough * kernel_s) continue;
    Reached& of_class = reached[{operator_class, hardware::bits(op.format) <= 8}];
    if (compute_s > clearly * memory_s) of_class.compute.push_back(compute_s / (seconds - kernel_s));
    if (memory_s > clearly * compute_s) of_class.memory.push_back(memory_s / (seconds - kernel_s));
  }
  const auto take = [](const std::vector<double>& values, double& efficiency) {
    if (!values.empty()) efficiency = std::clamp(median(values), 0.01, 1.0);
  };
  Reached& gemm = reached[{OperatorClass::gemm, false}];
  take(gemm.compute, e.gemm_bf16);
  take(gemm.memory, e.gemm_memory);
  Reached& narrow = reached[{OperatorClass::gemm, true}];
  if (narrow.compute.empty() && !gemm.compute.empty()) e.gemm_fp8 = std::min(1.0, e.gemm_bf16 * fp8_to_bf16);
  take(narrow.compute, e.gemm_fp8);
  double grouped = e.gemm_bf16 * e.grouped_gemm;
  take(reached[{OperatorClass::grouped_gemm, false}].compute, grouped);
  e.grouped_gemm = std::min(1.0, grouped / e.gemm_bf16);
  take(reached[{OperatorClass::prefill_attention, false}].compute, e.prefill_attention);
  take(reached[{OperatorClass::decode_attention, false}].compute, e.decode_attention);
  take(reached[{OperatorClass::decode_attention, false}].memory, e.attention_memory);
  take(reached[{OperatorClass::memory, false}].memory, e.other_memory);
  return e;
}

Efficiencies carried_efficiencies(const OperatorProfile& profile, const hardware::DeviceSpec& measured, const hardware::DeviceSpec& taker) {
  const Efficiencies fitted = fit_efficiencies(profile, measured);
  Efficiencies e = default_efficiencies(taker);
  e.provenance = Provenance::calibrated;
  e.gemm_kernel_s = fitted.gemm_kernel_s;
  e.attention_kernel_s = fitted.attention_kernel_s;
  e.other_kernel_s = fitted.other_kernel_s;
  // Devices differ in how many multiprocessors share out a prompt; where that is not known they count as alike.
  const bool known = measured.compute_units && taker.compute_units;
  const double measured_units = known ? *measured.compute_units : 1;
  e.multiprocessors = known ? *taker.compute_units : 1;
  for (const ProfilePoint& point : profile.points) {
    if (point.place.key.family == ProfileFamily::mixed_attention || point.place.key.family == ProfileFamily::collective) continue;
    const llm::Operator op = operator_at(point.place);
    const OperatorClass operator_class = class_of(op.kind);
    const double rate = hardware::rate_of(measured.peak, op.format).value_or(*measured.peak.bf16_flop_per_s);
    const double compute_s = operator_class == OperatorClass::memory ? 0 : op.flops / rate;
    const double memory_s = op.bytes / *measured.memory_bytes_per_s;
    const bool multiplies = operator_class == OperatorClass::gemm || operator_class == OperatorClass::grouped_gemm;
    const double kernel_s = op.kernels * (multiplies ? e.gemm_kernel_s : operator_class == OperatorClass::memory ? e.other_kernel_s : e.attention_kernel_s);
    if (point.seconds <= hardly_longer * kernel_s || memory_s <= 0) continue;
    e.shares[static_cast<std::size_t>(operator_class)].add(share_place(op, compute_s, memory_s, measured_units),
                                                           std::max(compute_s, memory_s) / (point.seconds - kernel_s));
  }
  for (ShareMap& shares : e.shares) shares.settle();
  return e;
}

std::optional<power::DevicePower> fit_power(const OperatorProfile& profile, const hardware::DeviceSpec& device) {
  if (!device.limit_power_w || !(profile.idle_w || device.idle_power_w)) return std::nullopt;
  std::vector<PowerPoint> loads;
  std::ranges::copy_if(profile.power, std::back_inserter(loads), &PowerPoint::whole_step);
  if (loads.size() < fewest_loads) loads = profile.power;
  if (loads.size() < fewest_loads) return std::nullopt;
  power::DevicePower result;
  result.idle_w = profile.idle_w ? *profile.idle_w : *device.idle_power_w;
  result.limit_w = *device.limit_power_w * held_share(loads, profile);
  std::array<std::array<double, 3>, 3> square{};
  std::array<double, 3> right{};
  for (const PowerPoint& point : loads) {
    const double clock = profile.full_clock_hz > 0 && point.sm_clock_hz > 0 ? point.sm_clock_hz / profile.full_clock_hz : 1;
    const double weight = 1 / point.watts;
    const double compute = point.flop_per_s / *device.peak.bf16_flop_per_s;
    const double memory = point.bytes_per_s / *device.memory_bytes_per_s;
    const std::array<double, 3> x{clock * point.busy * weight, clock * compute * weight, memory * weight};
    const double y = (point.watts - result.idle_w) * weight;
    for (std::size_t i = 0; i < 3; ++i) {
      right[i] += x[i] * y;
      for (std::size_t j = 0; j < 3; ++j) square[i][j] += x[i] * x[j];
    }
  }
  // Drop the most negative coefficient and solve again, until none is.
  std::array<bool, 3> used{true, true, true};
  std::array<double, 3> w = least_squares(square, right, used);
  for (auto lowest = std::ranges::min_element(w); *lowest < 0; lowest = std::ranges::min_element(w)) {
    used[static_cast<std::size_t>(lowest - w.begin())] = false;
    w = least_squares(square, right, used);
  }
  result.active_w = w[0] * profile.card_share;
  result.compute_w = w[1] * profile.card_share;
  result.memory_w = w[2] * profile.card_share;
  if (device.max_clock_hz && device.min_clock_hz) result.min_clock = *device.min_clock_hz / *device.max_clock_hz;
  if (device.max_clock_hz && device.clock_step_hz) result.clock_step = *device.clock_step_hz / *device.max_clock_hz;
  return result;
}

std::vector<FitQuality> fit_quality(const OperatorCostModel& model, const std::vector<ProfilePoint>& points) {
  std::map<OperatorClass, std::vector<double>> errors;
  for (const ProfilePoint& point : points) {
    if (point.place.key.family == ProfileFamily::mixed_attention) continue;
    const llm::Operator op = operator_at(point.place);
    errors[class_of(op.kind)].push_back(std::abs(model.cost(op).seconds() / point.seconds - 1));
  }
  std::vector<FitQuality> quality;
  for (auto& [operator_class, of_class] : errors) {
    std::ranges::sort(of_class);
    quality.push_back({std::string(to_string(operator_class)), of_class.size(), percentile(of_class, 0.5), percentile(of_class, 0.95), of_class.back()});
  }
  return quality;
}

}  // namespace rackwright::cost
