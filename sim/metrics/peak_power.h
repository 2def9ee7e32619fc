#pragma once

#include <cstdint>
#include <vector>

#include "models/base/time.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// The highest value over time of a sum of powers, each given as intervals, exactly and in bounded memory.
///
/// Intervals of different sources overlap and are told in order of their end, up to a lag of
/// `batch_changes` changes and `report_lag`, so their starts reach far into the past. That past is kept only where it can
/// still matter: a later interval that covers an instant covers every later one up to now too (powers
/// are never negative), so an instant followed by a higher one is dominated. What is left is a falling
/// staircase, short in practice.
class PeakPower {
 public:
  /// Adds power_mw (≥ 0) over [start, end).
  void add(SimTime start, SimTime end, std::int64_t power_mw);
  /// In milliwatts, over all intervals added so far.
  std::int64_t peak_mw();

 private:
  static constexpr std::size_t batch_changes = 8192;

  struct Change {
    SimTime at;
    std::int64_t by_mw;
  };

  void sort_changes();
  void drop_dominated();

  std::vector<Change> changes_;  ///< The first `sorted_` of them in order of time.
  std::size_t sorted_ = 0;
  SimTime settled_;       ///< Later intervals end here or later.
  SimTime settles_next_;  ///< The latest end when changes were last dropped.
  SimTime latest_end_;
};

}  // namespace rackwright::metrics
