#include "sim/metrics/provenance_tally.h"

#include <algorithm>
#include <numeric>

namespace rackwright::metrics {
namespace {

double pairs(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n - 1) / 2; }

}  // namespace

void ProvenanceTally::add(const Stretch& stretch, SimTime busy, std::int64_t before, std::int64_t until) {
  const double grown = pairs(until) - pairs(before);
  const cost::StepCost& cost = stretch.cost;
  const double first_steps_s = busy.seconds() - grown * cost.growth.seconds();
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    seconds_[i] += first_steps_s * static_cast<double>(cost.provenance[i]) + grown * static_cast<double>(cost.provenance_growth_s[i]);
}

std::optional<std::array<double, cost::provenance_count>> ProvenanceTally::shares() const {
  std::array<double, cost::provenance_count> shares{};
  // What rounding leaves below nothing is nothing.
  std::ranges::transform(seconds_, shares.begin(), [](double seconds) { return std::max(seconds, 0.0); });
  const double all_s = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (all_s <= 0) return std::nullopt;
  for (double& share : shares) share /= all_s;
  return shares;
}

}  // namespace rackwright::metrics
