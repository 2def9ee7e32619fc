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

double unlimited_step_power_w(const DevicePower& device, const StepActivity& step, double clock) {
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
  const double power_w = unlimited_step_power_w(device, step, clock);
  return device.limit == PowerLimit::external ? power_w : std::min(power_w, std::max(device.limit_w, device.idle_w));
}

double clock_within_limit(const DevicePower& device, const StepActivity& step, double ceiling) {
  if (device.limit != PowerLimit::stretch || unlimited_step_power_w(device, step, ceiling) <= device.limit_w) return ceiling;
  // Power rises with the clock, so the highest level within the limit is found by halving.
  int low = static_cast<int>(std::ceil(device.min_clock / device.clock_step));
  int high = static_cast<int>(std::floor(ceiling / device.clock_step));
  if (high <= low) return std::min(ceiling, device.min_clock);
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    (unlimited_step_power_w(device, step, middle * device.clock_step) <= device.limit_w ? low : high) = middle;
  }
  return low * device.clock_step;
}

DevicePower datasheet_power(const hardware::DeviceSpec& device) {
  invariant(device.idle_power_w && device.limit_power_w, "idle and limit power are known");
  const double span = *device.limit_power_w - *device.idle_power_w;
  // Activity counts from the peak, the fraction from the achieved rate.
  const double achieved = device.achieved_bf16_fraction.value_or(1);
  DevicePower power;
  power.idle_w = *device.idle_power_w;
  power.limit_w = *device.limit_power_w;
  power.active_w = span * device.active_power_fraction.value_or(default_active_fraction);
  power.memory_w = span * device.memory_power_fraction.value_or(default_memory_fraction);
  power.compute_w = span * device.compute_power_fraction.value_or(default_compute_fraction) / achieved;
  if (device.max_clock_hz && device.min_clock_hz) power.min_clock = *device.min_clock_hz / *device.max_clock_hz;
  if (device.max_clock_hz && device.clock_step_hz) power.clock_step = *device.clock_step_hz / *device.max_clock_hz;
  return power;
}

}  // namespace rackwright::power
