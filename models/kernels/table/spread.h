#pragma once

#include <span>

namespace rackwright::kernels {

/// Where the middle and the tails of repeated measurements lie, in the unit of the measurements.
struct Spread {
  double median = 0;
  double p10 = 0;
  double p90 = 0;
};

/// Quantiles with linear interpolation between order statistics. `values` must not be empty.
Spread spread_of(std::span<const double> values);

}  // namespace rackwright::kernels
