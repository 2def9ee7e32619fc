#pragma once

#include "models/hardware/device_spec.h"

namespace rackwright::power {

/// What the board's power limit does to a step.
///  cut_off   power is cut off at the limit: the costs were taken at it, as published achieved rates are
///  stretch   the clock falls until the step, repeated for long, keeps within the limit
///  external  nothing here: power may pass the limit for a while, and who sees its mean over a second lowers the clock
enum class PowerLimit { cut_off, stretch, external };

/// Electric power of one device:
///
///     P(c) = idle + c · (active_w · a + compute_w · u_compute) + memory_w · u_memory
///
/// with a the share of time in which a kernel runs, u achieved over peak rates, all as they are at SM clock c, and c a
/// fraction of the full clock. Rates of clock-bound work fall with c as well, so its power falls nearly with c². The
/// form was chosen on whole forward passes on an H200 at 1,300 to 1,980 MHz: mean error 2.4 %, at most 9 %; exponents
/// of c from 1 to 1.5 fit alike. Memory keeps its own clock.
/// Not modelled: leakage with temperature, dependence on the data, and spikes within a step.
struct DevicePower {
  double idle_w = 0;
  double limit_w = 0;
  double active_w = 0;
  double memory_w = 0;
  double compute_w = 0;
  double min_clock = 0.5;  ///< The limit pulls the clock no lower than this.
  double clock_step = 1.0 / 128;
  PowerLimit limit = PowerLimit::cut_off;
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

/// Mean power over the step; with PowerLimit::external it may pass the limit.
double step_power_w(const DevicePower& device, const StepActivity& step, double clock);

/// The highest clock, a multiple of clock_step in [min_clock, ceiling], at which the step keeps within the limit;
/// `ceiling` itself when it does, or when the limit does not stretch steps.
double clock_within_limit(const DevicePower& device, const StepActivity& step, double ceiling);

/// From a datasheet's idle and limit power with the fractions of the catalog, else those fitted to 43 serving runs
/// on H100: P = 75 + 625 · min(1, 0.48 + 0.21 u_memory + 0.89 u_compute) W, mean error 8 %, u_compute relative to the
/// achieved rate (ML.ENERGY leaderboard v3; the fit is ours). Idle and limit must be known.
DevicePower datasheet_power(const hardware::DeviceSpec& device);

}  // namespace rackwright::power
