#include "models/power/clock_control.h"

#include <algorithm>
#include <cmath>

namespace rackwright::power {

double next_clock(const ClockControl& control, double clock, double mean_mw) {
  const double above_idle = mean_mw - static_cast<double>(control.idle_mw);
  if (above_idle <= 0) return 1;
  const double wanted = clock * std::sqrt(static_cast<double>(control.limit_mw - control.idle_mw) / above_idle);
  if (wanted >= 1) return 1;
  // A hundredth of a step for the rounding of a clock that is on a step already.
  return std::max(std::floor(wanted / control.clock_step + 0.01) * control.clock_step, control.min_clock);
}

}  // namespace rackwright::power
