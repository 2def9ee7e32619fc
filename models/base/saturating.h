#pragma once

#include "models/base/time.h"

namespace rackwright {

/// a + b and n · a, which stop at `SimTime::max()` (never) or its negative instead of passing it: for times that an input
/// may make as long as it likes. An event at `SimTime::max()` does not come.
constexpr SimTime saturating_sum(SimTime a, SimTime b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a.ps, b.ps, &sum)) return {sum};
  return {b.ps > 0 ? SimTime::max().ps : -SimTime::max().ps};
}

constexpr SimTime saturating_product(SimTime a, std::int64_t n) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a.ps, n, &product)) return {product};
  return {(a.ps > 0) == (n > 0) ? SimTime::max().ps : -SimTime::max().ps};
}

}  // namespace rackwright
