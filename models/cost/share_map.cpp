#include "models/cost/share_map.h"

#include <algorithm>
#include <cmath>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

constexpr double cell_octaves = 0.5;
constexpr std::size_t neighbours = 4;
constexpr double nearest_apart = 0.05;

}  // namespace

void ShareMap::add(const Place& place, double share) {
  const auto cell = [](double x) { return static_cast<int>(std::lround(x / cell_octaves)); };
  added_[{cell(place.x), cell(place.y)}].push_back({place, std::log(share)});
}

void ShareMap::settle() {
  for (auto& [key, points] : added_) {
    Cell mean;
    for (const Cell& point : points) {
      mean.at.x += point.at.x / static_cast<double>(points.size());
      mean.at.y += point.at.y / static_cast<double>(points.size());
    }
    std::ranges::nth_element(points, points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2), {}, &Cell::log_share);
    mean.log_share = points[points.size() / 2].log_share;
    cells_.push_back(mean);
  }
  added_.clear();
}

double ShareMap::at(const Place& place) const {
  invariant(!cells_.empty(), "shares are asked only of a class that has some");
  struct Near {
    double apart;
    double log_share;
  };
  std::array<Near, neighbours> nearest;
  std::size_t found = 0;
  for (const Cell& cell : cells_) {
    const double dx = cell.at.x - place.x;
    const double dy = cell.at.y - place.y;
    const Near near{dx * dx + dy * dy, cell.log_share};
    std::size_t at = found < neighbours ? found++ : neighbours;
    for (; at > 0 && nearest[at - 1].apart > near.apart; --at)
      if (at < neighbours) nearest[at] = nearest[at - 1];
    if (at < neighbours) nearest[at] = near;
  }
  double weights = 0;
  double sum = 0;
  for (std::size_t i = 0; i < found; ++i) {
    const double weight = 1 / ((nearest[i].apart + nearest_apart) * (nearest[i].apart + nearest_apart));
    weights += weight;
    sum += weight * nearest[i].log_share;
  }
  return std::min(1.0, std::exp(sum / weights));
}

ShareMap::Place share_place(const llm::Operator& op, double compute_s, double memory_s, double multiprocessors) {
  if (class_of(op.kind) == llm::OperatorClass::prefill_attention)
    return {std::log2(op.new_tokens * op.query_heads / multiprocessors), std::log2(op.new_tokens / 2 + op.past_tokens)};
  return {compute_s > 0 && memory_s > 0 ? std::log2(compute_s / memory_s) : 0, std::log2(std::max({compute_s, memory_s, 1e-12}))};
}

}  // namespace rackwright::cost
