#include "sim/metrics/stretch_clip.h"

#include <algorithm>

#include "sim/metrics/int128.h"

namespace rackwright::metrics {
namespace {

/// start + n · first + growth · n (n − 1) / 2, at most the end of time
SimTime after(SimTime start, SimTime first, SimTime growth, std::int64_t n) {
  const Int128 steps = n;
  return {static_cast<std::int64_t>(std::min<Int128>(start.ps + steps * first.ps + growth.ps * (steps * (steps - 1) / 2), SimTime::max().ps))};
}

/// The most n in [0, limit] with after(…, n) ≤ when.
std::int64_t most_after(SimTime start, SimTime first, SimTime growth, std::int64_t limit, SimTime when) {
  if (when < start) return 0;
  std::int64_t low = 0;
  std::int64_t high = limit;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (after(start, first, growth, middle) <= when) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

SimTime step_start(const Stretch& stretch, std::int64_t n) {
  return after(stretch.start, stretch.cost.duration, stretch.cost.growth, n);
}

std::int64_t steps_ended(const Stretch& stretch, SimTime when) {
  if (when >= stretch.end) return stretch.steps;
  return most_after(stretch.start, stretch.cost.duration, stretch.cost.growth, stretch.steps, when);
}

Interval clip(SimTime start, SimTime end, const MeasureWindow& window) {
  const SimTime from = std::max(start, window.from);
  return {from, std::max(from, std::min(end, window.to))};
}

TokenGaps clip(const TokenGaps& gaps, const MeasureWindow& window) {
  if (window.all()) return gaps;
  // A gap that ends exactly at `from` is outside, one that ends at `to` is inside.
  const std::int64_t before = most_after(gaps.start, gaps.first, gaps.growth, gaps.count, window.from);
  const std::int64_t until = most_after(gaps.start, gaps.first, gaps.growth, gaps.count, window.to);
  TokenGaps inside = gaps;
  inside.start = after(gaps.start, gaps.first, gaps.growth, before);
  inside.first = gaps.first + before * gaps.growth;
  inside.count = until - before;
  return inside;
}

}  // namespace rackwright::metrics
