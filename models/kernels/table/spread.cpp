#include "models/kernels/table/spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/base/invariant.h"

namespace rackwright::kernels {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

}  // namespace

Spread spread_of(std::span<const double> values) {
  invariant(!values.empty(), "a spread needs at least one value");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, 0.5), quantile(sorted, 0.1), quantile(sorted, 0.9)};
}

}  // namespace rackwright::kernels
