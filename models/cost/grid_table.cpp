#include "models/cost/grid_table.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::cost {

GridTable::GridTable(int axes, std::span<const Point> points) : levels_(static_cast<std::size_t>(axes)) {
  invariant(axes >= 1 && axes <= most_axes && !points.empty(), "a grid has points and one to four axes");
  std::vector<Point> sorted(points.begin(), points.end());
  std::ranges::stable_sort(sorted, {}, &Point::at);
  std::size_t i = 0;
  while (i < sorted.size()) {
    std::size_t end = i;
    double sum = 0;
    const auto same = [&](std::size_t j) { return std::equal(sorted[i].at.begin(), sorted[i].at.begin() + axes, sorted[j].at.begin()); };
    for (; end < sorted.size() && same(end); ++end) sum += sorted[end].value;
    // The first axis on which this place differs from the one before it starts new nodes from there down.
    std::size_t level = 0;
    if (i > 0) while (sorted[i].at[level] == sorted[i - 1].at[level]) ++level;
    for (; level < levels_.size(); ++level) {
      Node node{.key = sorted[i].at[level]};
      if (level + 1 < levels_.size()) node.first = node.last = static_cast<std::uint32_t>(levels_[level + 1].size());
      levels_[level].push_back(node);
      if (level > 0) levels_[level - 1].back().last = static_cast<std::uint32_t>(levels_[level].size());
    }
    levels_.back().back().value = sum / static_cast<double>(end - i);
    i = end;
  }
}

GridTable::Bracket GridTable::bracket(std::size_t level, std::uint32_t first, std::uint32_t last, double x) const {
  const std::vector<Node>& nodes = levels_[level];
  const auto begin = nodes.begin() + first;
  const auto end = nodes.begin() + last;
  if (x <= begin->key || last - first == 1) return {first, first, 0, x == begin->key};
  const auto right = std::upper_bound(begin + 1, end - 1, x, [](double value, const Node& node) { return value < node.key; });
  const auto left = right - 1;
  const auto index = static_cast<std::uint32_t>(right - nodes.begin());
  return {index - 1, index, (x - left->key) / (right->key - left->key), x <= right->key};
}

GridTable::Value GridTable::value(std::size_t level, std::uint32_t first, std::uint32_t last, std::span<const double> x) const {
  const Bracket at = bracket(level, first, last, x[level]);
  const auto child = [&](std::uint32_t index) {
    const Node& node = levels_[level][index];
    return level + 1 == levels_.size() ? Value{node.value, true} : value(level + 1, node.first, node.last, x);
  };
  const Value left = child(at.left);
  if (at.share == 0) return {left.value, left.inside && at.inside};
  const Value right = child(at.right);
  const bool inside = at.inside && right.inside && (left.inside || at.share == 1);
  if (at.share > 1) return {right.value + (at.share - 1) * std::max(right.value - left.value, 0.0), inside};
  return {left.value + at.share * (right.value - left.value), inside};
}

GridTable::Value GridTable::at(std::span<const double> coordinates) const {
  invariant(coordinates.size() == levels_.size(), "a place has one coordinate per axis");
  return value(0, 0, static_cast<std::uint32_t>(levels_[0].size()), coordinates);
}

double GridTable::next_first(double x) const {
  const auto next = std::ranges::lower_bound(levels_.front(), x, {}, &Node::key);
  return next == levels_.front().end() ? x : next->key;
}

std::pair<double, double> GridTable::around_first(double x) const {
  const std::vector<Node>& nodes = levels_.front();
  const auto next = std::ranges::lower_bound(nodes, x, {}, &Node::key);
  if (next == nodes.end()) return {nodes.back().key, nodes.back().key};
  if (next == nodes.begin() || next->key == x) return {next->key, next->key};
  return {(next - 1)->key, next->key};
}

void GridTable::collect(std::size_t level, std::uint32_t first, std::uint32_t last, std::span<const double> x, std::vector<double>& keys) const {
  if (level + 1 == levels_.size()) {
    for (std::uint32_t i = first; i < last; ++i) keys.push_back(levels_[level][i].key);
    return;
  }
  const Bracket at = bracket(level, first, last, x[level]);
  const auto add = [&](const Node& node) { collect(level + 1, node.first, node.last, x, keys); };
  add(levels_[level][at.left]);
  if (at.share > 0) add(levels_[level][at.right]);
}

std::vector<double> GridTable::knots(std::span<const double> before_last) const {
  invariant(before_last.size() + 1 == levels_.size(), "all axes but the last are given");
  std::vector<double> keys;
  collect(0, 0, static_cast<std::uint32_t>(levels_[0].size()), before_last, keys);
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace rackwright::cost
