#pragma once

#include <algorithm>
#include <vector>

#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Intervals in which instances were on, held back until something is computed after them: a pool shrinks when the last
/// request has left, and what it draws after the end of the run does not belong to it.
class PoweredIntervals {
 public:
  void add(const PoweredInterval& interval) { held_.push_back(interval); }

  /// Hands out all of them, as far as they lie before `end`.
  template <class Take>
  void hand_out(Take take, SimTime end = SimTime::max()) {
    for (PoweredInterval interval : held_) {
      interval.end = std::min(interval.end, end);
      if (interval.start < interval.end) take(interval);
    }
    held_.clear();
  }

 private:
  std::vector<PoweredInterval> held_;
};

}  // namespace rackwright::metrics
