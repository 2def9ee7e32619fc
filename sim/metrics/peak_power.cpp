#include "sim/metrics/peak_power.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::metrics {

void PeakPower::add(SimTime start, SimTime end, std::int64_t power_mw) {
  invariant(power_mw >= 0, "a power is never negative");
  if (start >= end || power_mw == 0) return;
  invariant(end >= settled_, "stretches are reported in order of their end");
  changes_.push_back({start, power_mw});
  changes_.push_back({end, -power_mw});
  latest_end_ = std::max(latest_end_, end);
  if (changes_.size() - sorted_ >= batch_changes) drop_dominated();
}

std::int64_t PeakPower::peak_mw() {
  sort_changes();
  std::int64_t level = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    level += changes_[i].by_mw;
    const bool lasts = i + 1 == changes_.size() || changes_[i + 1].at > changes_[i].at;
    if (lasts) peak = std::max(peak, level);
  }
  return peak;
}

void PeakPower::sort_changes() {
  const auto middle = changes_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(middle, changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  std::inplace_merge(changes_.begin(), middle, changes_.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
  sorted_ = changes_.size();
}

void PeakPower::drop_dominated() {
  sort_changes();
  // Levels from instant to instant, one entry for each.
  std::int64_t level = 0;
  std::vector<Change> levels;
  for (const Change& change : changes_) {
    level += change.by_mw;
    if (!levels.empty() && levels.back().at == change.at) {
      levels.back().by_mw = level;
    } else {
      levels.push_back({change.at, level});
    }
  }
  // Before settled_, each level rises to the highest that follows it until then: whatever will cover the
  // one reaches past the beginning of the other.
  const auto open = std::ranges::lower_bound(levels, settled_, {}, &Change::at);
  std::int64_t highest = 0;
  for (auto it = open; it != levels.begin();) {
    --it;
    highest = it->by_mw = std::max(highest, it->by_mw);
  }
  changes_.clear();
  std::int64_t before = 0;
  for (const Change& now : levels) {
    if (now.by_mw != before) changes_.push_back({now.at, now.by_mw - before});
    before = now.by_mw;
  }
  sorted_ = changes_.size();
  // One batch of changes late, and by the lag of reports: they may be out of order by that much.
  settled_ = std::max(settled_, std::min(std::exchange(settles_next_, latest_end_), latest_end_ - report_lag));
}

}  // namespace rackwright::metrics
