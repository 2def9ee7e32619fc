#include "scenarios/plots/plot.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rackwright::plots {

Series binned(std::string name, const std::vector<double>& values, double period, double end, std::size_t limit) {
  Series series{std::move(name), Shape::steps, {}};
  if (values.empty()) return series;
  const std::size_t together = (values.size() + limit - 1) / limit;
  for (std::size_t first = 0; first < values.size(); first += together) {
    const std::size_t past = std::min(first + together, values.size());
    const double start = static_cast<double>(first) * period;
    // The last bin ends with the run. What is left of it weighs as long as it lasts, and the rate of a single request
    // in a sliver of a bin is no highest bin.
    const double last_length = std::clamp(end - static_cast<double>(past - 1) * period, 0.0, period);
    const bool sliver = past - first > 1 && last_length < period / 2;
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(first);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(past - 1);
    const double sum = std::accumulate(from, last, 0.0) * period + *last * last_length;
    const double length = static_cast<double>(past - 1 - first) * period + last_length;
    const auto [low, high] = std::minmax_element(from, sliver ? last : last + 1);
    series.points.push_back({start, together > 1 ? sum / length : *last});
    if (together > 1) series.spread.push_back({*low, *high});
  }
  series.points.push_back({end, series.points.back().y});
  if (together > 1) series.spread.push_back(series.spread.back());
  return series;
}

}  // namespace rackwright::plots
