#include "traces/generators/quantile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::traces {

QuantileTable::QuantileTable(std::vector<Quantile> quantiles) : quantiles_(std::move(quantiles)) {
  const std::string why = problem(quantiles_);
  invariant(why.empty(), why);
  if (quantiles_.size() == 1) quantiles_ = {{0, quantiles_[0].value}, {1, quantiles_[0].value}};
  std::uint32_t i = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    while (quantiles_[i + 1].p <= static_cast<double>(cell) / cells) ++i;
    start_[cell] = i;
  }
}

std::string QuantileTable::problem(std::span<const Quantile> quantiles) {
  if (quantiles.empty()) return "a quantile table needs at least one quantile";
  for (const Quantile& q : quantiles) {
    if (!std::isfinite(q.p) || !std::isfinite(q.value)) return "a quantile is not a finite number";
  }
  if (quantiles.size() == 1) return {};
  if (quantiles.front().p != 0 || quantiles.back().p != 1) return "quantiles must run from p = 0 to p = 1";
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    if (quantiles[i].p <= quantiles[i - 1].p) return fmt::format("p must rise, but {} follows {}", quantiles[i].p, quantiles[i - 1].p);
    if (quantiles[i].value < quantiles[i - 1].value) {
      return fmt::format("values must not fall, but {} follows {}", quantiles[i].value, quantiles[i - 1].value);
    }
  }
  return {};
}

std::int32_t QuantileTable::tokens_at(double u) const {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(std::round(at(u)), 1.0, most));
}

double QuantileTable::mean() const {
  double mean = 0;
  for (std::size_t i = 1; i < quantiles_.size(); ++i) {
    mean += (quantiles_[i].p - quantiles_[i - 1].p) * (quantiles_[i].value + quantiles_[i - 1].value) / 2;
  }
  return mean;
}

}  // namespace rackwright::traces
