#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rackwright::results {

/// One quantity over time, a value for each bin.
struct TimelineSeries {
  std::string key;  ///< Column of timeline.csv, with the unit in it: "racks.a.power_w".
  std::vector<double> values;
};

/// timeline.csv: what went on in equal bins of simulated time from 0; the last one may be shorter.
/// Every value is a mean over its bin, so that a sum over bins loses nothing.
struct Timeline {
  double period_s = 1;
  double end_s = 0;  ///< Where the last bin ends.
  std::vector<TimelineSeries> series;

  std::size_t bins() const { return series.empty() ? 0 : series.front().values.size(); }
  /// Null when there is no such series.
  const TimelineSeries* find(const std::string& key) const {
    for (const TimelineSeries& s : series) {
      if (s.key == key) return &s;
    }
    return nullptr;
  }
};

}  // namespace rackwright::results
