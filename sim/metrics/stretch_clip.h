#pragma once

#include <cstdint>

#include "models/base/time.h"
#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// When step `n` (from 0) of a stretch starts: start + n · duration + growth · n (n − 1) / 2.
SimTime step_start(const Stretch& stretch, std::int64_t n);

/// How many steps of a stretch have ended at `when`; O(log steps).
std::int64_t steps_ended(const Stretch& stretch, SimTime when);

/// The part of [start, end) inside the window; empty parts have start = end.
struct Interval {
  SimTime start, end;
  SimTime length() const { return end - start; }
};
Interval clip(SimTime start, SimTime end, const MeasureWindow& window);

/// The gaps that end inside the window.
TokenGaps clip(const TokenGaps& gaps, const MeasureWindow& window);

}  // namespace rackwright::metrics
