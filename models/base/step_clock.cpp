#include "models/base/step_clock.h"

#include <algorithm>
#include <cmath>

namespace rackwright {

SimTime StepClock::boundary(std::int64_t k) const {
  std::int64_t flat = 0;
  std::int64_t pairs = 0;
  std::int64_t extra = 0;
  std::int64_t sum = 0;
  std::int64_t end = 0;
  // One of k and k - 1 is even.
  const bool overflow = __builtin_mul_overflow(k, duration.ps, &flat) ||
                        __builtin_mul_overflow(k % 2 == 0 ? k / 2 : k, k % 2 == 0 ? k - 1 : (k - 1) / 2, &pairs) ||
                        __builtin_mul_overflow(pairs, growth.ps, &extra) || __builtin_add_overflow(flat, extra, &sum) ||
                        __builtin_add_overflow(sum, start.ps, &end);
  return overflow ? SimTime::max() : SimTime{end};
}

std::int64_t StepClock::steps_ended(SimTime now, std::int64_t most) const {
  const std::int64_t elapsed = now.ps - start.ps;
  if (growth.ps == 0) return std::min(elapsed / duration.ps, most);
  // The root of growth/2 · k² + (duration - growth/2) · k = elapsed, then put right to the integer.
  const double half = static_cast<double>(growth.ps) / 2;
  const double linear = static_cast<double>(duration.ps) - half;
  const double root = (std::sqrt(linear * linear + 4 * half * static_cast<double>(elapsed)) - linear) / (2 * half);
  std::int64_t k = root < static_cast<double>(most) ? std::max<std::int64_t>(static_cast<std::int64_t>(root), 0) : most;
  while (k > 0 && boundary(k) > now) --k;
  while (k < most && boundary(k + 1) <= now) ++k;
  return k;
}

}  // namespace rackwright
