#pragma once

#include <cstdint>

#include "models/base/time.h"

namespace rackwright::power {

/// How a board holds its mean power within a limit. At each multiple of `period` it looks at the mean power P over the
/// period that ends there, all of it run at one clock c, and sets the clock of the next:
///
///   c' = min(1, c · √((limit − idle) / (P − idle)))
///
/// rounded down to a step. Power above idle falls with c² where the clock bounds the work, so that one period suffices
/// there; where memory does, several do.
/// Not modelled: how the clock moves within a period, temperature, voltage droop at the start of a burst, and that an H200
/// holds 703 W for the first second and 692 W after.
struct ClockControl {
  std::int64_t limit_mw = 0;  ///< Of all devices that step together.
  std::int64_t idle_mw = 0;
  SimTime period;
  double min_clock = 0.5;     ///< Fraction of the clock at which costs were taken, as all clocks here.
  double clock_step = 1.0 / 128;
};

/// c' of the rule above.
double next_clock(const ClockControl& control, double clock, double mean_mw);

}  // namespace rackwright::power
