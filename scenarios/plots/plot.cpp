#include "scenarios/plots/plot.h"

#include <algorithm>
#include <utility>

namespace rackwright::plots {

Series binned(std::string name, const std::vector<double>& values, double period, double end, std::size_t limit) {
  Series series{std::move(name), Shape::steps, {}};
  if (values.empty()) return series;
  const std::size_t together = (values.size() + limit - 1) / limit;
  // The last bin ends with the run. A last point that would stand for less than half of the time of the others joins its
  // neighbour: the rate of a single request in a sliver of time is no highest rate, and of none is no drop.
  const double last_length = std::clamp(end - static_cast<double>(values.size() - 1) * period, 0.0, period);
  const std::size_t points = (values.size() + together - 1) / together;
  const double last_point = static_cast<double>((values.size() - 1) % together) * period + last_length;
  const std::size_t shown = points > 1 && last_point < static_cast<double>(together) * period / 2 ? points - 1 : points;
  const bool has_spread = together > 1;
  for (std::size_t point = 0; point < shown; ++point) {
    const std::size_t first = point * together;
    const bool is_last = point + 1 == shown;
    const std::size_t past = is_last ? values.size() : first + together;
    double sum = 0, length = 0;
    Spread spread{values[first], values[first]};
    for (std::size_t i = first; i < past; ++i) {
      const double weight = i + 1 == values.size() ? last_length : period;
      sum += values[i] * weight;
      length += weight;
      if (i > first && weight < period / 2) continue;  // A sliver is neither lowest nor highest.
      spread = {std::min(spread.low, values[i]), std::max(spread.high, values[i])};
    }
    series.points.push_back({static_cast<double>(first) * period, length > 0 ? sum / length : values[past - 1]});
    if (has_spread) series.spread.push_back(spread);
  }
  series.points.push_back({end, series.points.back().y});
  if (has_spread) series.spread.push_back(series.spread.back());
  return series;
}

}  // namespace rackwright::plots
