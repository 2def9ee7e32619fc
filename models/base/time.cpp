#include "models/base/time.h"

#include <cmath>

#include "models/base/invariant.h"

namespace rackwright {

SimTime sim_time(double seconds) {
  invariant(!std::isnan(seconds), "a time is not a number");
  const double ps = seconds * 1e12;
  if (ps >= 9.2e18) return SimTime::max();
  if (ps <= -9.2e18) return {-SimTime::max().ps};
  return {std::llround(ps)};
}

}  // namespace rackwright
