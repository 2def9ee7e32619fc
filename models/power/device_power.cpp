#include "models/power/device_power.h"

#include <algorithm>
#include <cmath>

#include "models/base/invariant.h"

namespace rackwright::power {
namespace {

// The H100 fit of the header.
constexpr double default_active_fraction = 0.48;
constexpr double default_memory_fraction = 0.21;
constexpr double default_compute_fraction = 0.89;

/// On an H200 rounds of 28 ms run at the lower clock from the second or third on, and lighter steps get theirs back within
/// 0.15 s (models/kernels/profiles/nvidia-h200, throttle.csv). The driver's own reading is a mean over a second.
constexpr SimTime control_period{100'000'000'000};

double law_w(const DevicePower& device, const StepActivity& step, double clock) {
  const double duration = step.clock_bound_s / clock + step.other_s;
  if (duration <= 0) return device.idle_w;
  // A kernel that runs longer at a lower clock is active longer.
  const double full_clock_duration = step.clock_bound_s + step.other_s;
  const double active_s = step.active_s * duration / full_clock_duration;
  const double clock_energy_j = clock * (device.active_w * active_s + device.compute_w * step.compute_s);
  return device.idle_w + (clock_energy_j + device.memory_w * step.memory_s) / duration;
}

}  // namespace

double step_power_w(const DevicePower& device, const StepActivity& step, double clock) {
  const double power_w = law_w(device, step, clock);
  if (!device.taken_at_most_w) return power_w;
  const double most_w = std::max(*device.taken_at_most_w, device.idle_w);
  const double at_full_clock_w = law_w(device, step, 1);
  if (at_full_clock_w <= most_w) return power_w;
  return device.idle_w + (power_w - device.idle_w) * (most_w - device.idle_w) / (at_full_clock_w - device.idle_w);
}

double least_busy_power_w(const DevicePower& device) {
  return step_power_w(device, {.clock_bound_s = 1, .active_s = 1}, device.min_clock);
}

std::optional<ClockControl> clock_control(const DevicePower& device, int devices) {
  if (device.taken_at_most_w && *device.taken_at_most_w <= device.limit_w) return std::nullopt;
  return ClockControl{.limit_mw = std::llround(std::max(device.limit_w, device.idle_w) * 1e3) * devices,
                      .idle_mw = std::llround(device.idle_w * 1e3) * devices,
                      .period = control_period,
                      .min_clock = device.min_clock,
                      .clock_step = device.clock_step};
}

DevicePower datasheet_power(const hardware::DeviceSpec& device) {
  invariant(device.idle_power_w && device.limit_power_w, "idle and limit power are known");
  const double rated_w = std::max(device.rated_power_w.value_or(0), *device.limit_power_w);
  const double span = rated_w - *device.idle_power_w;
  // Activity counts from the peak, the fraction from the achieved rate.
  const double achieved = device.achieved_bf16_fraction.value_or(1);
  DevicePower power;
  power.idle_w = *device.idle_power_w;
  power.limit_w = *device.limit_power_w;
  power.taken_at_most_w = rated_w;
  power.active_w = span * device.active_power_fraction.value_or(default_active_fraction);
  power.memory_w = span * device.memory_power_fraction.value_or(default_memory_fraction);
  power.compute_w = span * device.compute_power_fraction.value_or(default_compute_fraction) / achieved;
  if (device.max_clock_hz && device.min_clock_hz) power.min_clock = *device.min_clock_hz / *device.max_clock_hz;
  if (device.max_clock_hz && device.clock_step_hz) power.clock_step = *device.clock_step_hz / *device.max_clock_hz;
  return power;
}

}  // namespace rackwright::power
