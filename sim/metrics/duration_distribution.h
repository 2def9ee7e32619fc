#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/time.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/int128.h"

namespace rackwright::metrics {

/// A multiset of durations (≥ 0) that answers nearest-rank quantiles.
///
/// Exact up to `exact_limit` values. Beyond it, counts in buckets of 1/512 of an octave: a quantile is
/// then the middle of its bucket, off by at most 1/1024 of itself. Mean, minimum and maximum stay exact.
/// Which of the two, and every answer, depends on the values alone: neither on their order nor on
/// whether they came one by one or as runs.
class DurationDistribution {
 public:
  static constexpr std::int64_t exact_limit = 1'000'000;

  void add(SimTime value, std::int64_t count = 1);
  /// first, first + growth, … (`steps` of them, growth ≥ 0), each `multiplicity` times; O(buckets).
  void add_run(SimTime first, SimTime growth, std::int64_t steps, std::int64_t multiplicity = 1);

  std::int64_t count() const { return count_; }
  bool exact() const { return count_ <= exact_limit; }
  /// In seconds.
  double mean() const;

  /// The values at ranks ceil(q · count), q ascending in [0, 1]; the smallest value for 0. Needs count > 0.
  std::vector<SimTime> quantiles(std::span<const double> ascending);
  results::DurationStatistics statistics();

 private:
  struct Run {
    std::int64_t first, growth, steps, multiplicity;
  };
  /// A value and how often it occurs.
  struct Weighted {
    std::int64_t value, count;
  };

  void keep(const Run& run);
  void pour_into_buckets();
  void count_in_buckets(const Run& run);
  std::vector<Weighted> sorted();

  std::int64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  Int128 sum_ = 0;
  std::vector<std::int64_t> singles_;  ///< Values that occur once, while exact.
  std::vector<Run> runs_;              ///< The others, while exact.
  std::vector<std::int64_t> buckets_;  ///< Counts by bucket, when no longer exact.
};

}  // namespace rackwright::metrics
