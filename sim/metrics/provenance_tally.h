#pragma once

#include <array>
#include <optional>

#include "models/cost/step_cost.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Busy seconds by where their cost came from, over whole stretches: with shares p of a first step that lasts d, and g gained
/// from one step to the next, n steps have n · d · p + g · n (n − 1) / 2.
class ProvenanceTally {
 public:
  /// The steps of a stretch after its first `before`, until `until` have ended, which take `busy`.
  void add(const Stretch& stretch, SimTime busy, std::int64_t before, std::int64_t until);

  /// They sum to 1; absent when nothing was busy.
  std::optional<std::array<double, cost::provenance_count>> shares() const;

 private:
  std::array<double, cost::provenance_count> seconds_{};
};

}  // namespace rackwright::metrics
