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
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = values.begin() + static_cast<std::ptrdiff_t>(std::min(first + together, values.size()));
    const double sum = std::accumulate(from, to, 0.0);
    const auto [low, high] = std::minmax_element(from, to);
    series.points.push_back({static_cast<double>(first) * period, sum / static_cast<double>(to - from)});
    if (together > 1) series.spread.push_back({*low, *high});
  }
  series.points.push_back({end, series.points.back().y});
  if (together > 1) series.spread.push_back(series.spread.back());
  return series;
}

}  // namespace rackwright::plots
