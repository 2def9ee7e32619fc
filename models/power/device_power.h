#pragma once

#include <optional>

#include "models/hardware/device_spec.h"
#include "models/power/clock_control.h"

namespace rackwright::power {

/// Electric power of one device:
///
///     P(c) = idle + c · (active_w · a + compute_w · u_compute) + memory_w · u_memory
///
/// with a the share of time in which a kernel runs, u achieved over peak rates, all as they are at SM clock c, and c a
/// fraction of the full clock. Rates of clock-bound work fall with c as well, so its power falls nearly with c². The
/// form was chosen on whole forward passes on an H200 at 1,300 to 1,980 MHz: mean error 2.4 %, at most 9 %; exponents
/// of c from 1 to 1.5 fit alike. Memory keeps its own clock.
/// Power may pass the board's limit for the length of a prompt; who watches its mean lowers the clock (ClockControl).
/// Not modelled: leakage with temperature, dependence on the data, and spikes within a step.
struct DevicePower {
  double idle_w = 0;
  double active_w = 0;
  double memory_w = 0;
  double compute_w = 0;
  double limit_w = 0;       ///< That the board holds the mean to.
  /// Costs were taken with power cut off here, as achieved rates that are published at the rated limit: no step draws more
  /// at full clock, and P(c) of a step that would scales by what is cut off. Absent: taken below any limit.
  std::optional<double> taken_at_most_w;
  double min_clock = 0.5;   ///< The limit pulls the clock no lower than this.
  double clock_step = 1.0 / 128;
};

/// One step of a device at the clock at which its costs were taken, which counts as 1 here. Where that was less than the
/// full clock, active and compute seconds are weighted with the fraction.
struct StepActivity {
  double clock_bound_s = 0;  ///< Part of the duration that a lower clock stretches.
  double other_s = 0;        ///< The rest of the duration.
  double active_s = 0;       ///< Time in which a kernel runs.
  double memory_s = 0;       ///< Bytes moved over peak bandwidth.
  double compute_s = 0;      ///< Operations over peak rates.
};

/// Mean power over the step.
double step_power_w(const DevicePower& device, const StepActivity& step, double clock);

/// The least that a device draws while a kernel runs all the time: at the lowest clock, with nothing computed or moved.
double least_busy_power_w(const DevicePower& device);

/// How the boards of `devices` alike devices that step together hold their limit, or nothing when no step can pass it.
std::optional<ClockControl> clock_control(const DevicePower& device, int devices);

/// From a datasheet's idle and limit power with the fractions of the catalog, else those fitted to 43 serving runs
/// on H100: P = 75 + 625 · min(1, 0.48 + 0.21 u_memory + 0.89 u_compute) W, mean error 8 %, u_compute relative to the
/// achieved rate (ML.ENERGY leaderboard v3; the fit is ours). Idle and limit must be known. Coefficients follow from the
/// rated limit of the board, where a lower one is set.
DevicePower datasheet_power(const hardware::DeviceSpec& device);

}  // namespace rackwright::power
