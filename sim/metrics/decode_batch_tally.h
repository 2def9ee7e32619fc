#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/results/run_summary.h"
#include "sim/metrics/bound_tally.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Decode steps of one pool by how many sequences they served: throughput and what bounds it against the batch, out of a single
/// run. Batches that agree in their first three binary digits (1, 2, … 8, 10, 12, 14, 16, 20 …) count as one. Steps with prompt
/// tokens are left out.
class DecodeBatchTally {
 public:
  /// `busy` and `steps` are the stretch's inside the measured window.
  void add(const Stretch& stretch, SimTime busy, std::int64_t steps);

  /// Batches that occurred, the smallest first.
  std::vector<results::DecodeBatch> batches() const;

 private:
  struct Steps {
    std::int64_t steps = 0;
    Int128 sequences = 0;
    std::int64_t tokens = 0;
    BoundTally bound;
  };
  std::vector<Steps> bins_;
};

}  // namespace rackwright::metrics
