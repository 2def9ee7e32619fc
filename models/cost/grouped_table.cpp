#include "models/cost/grouped_table.h"

#include <algorithm>
#include <array>
#include <map>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

/// Expectations of groups in use come within a hair of a measured number; a neighbour with a smaller share does not make them extrapolated.
constexpr double hardly = 0.01;

}  // namespace

GroupedTable::GroupedTable(std::span<const Point> points) {
  invariant(!points.empty(), "a table of grouped products has points");
  std::map<double, std::vector<GridTable::Point>> by_groups;
  for (const Point& point : points) by_groups[point.groups].push_back({{point.rows / point.groups}, point.value});
  for (const auto& [groups, of_curve] : by_groups) {
    const auto last = std::ranges::max_element(of_curve, {}, [](const GridTable::Point& point) { return point.at[0]; });
    curves_.push_back({groups, GridTable(1, of_curve), last->at[0]});
    if (curves_.back().longest >= curves_[furthest_].longest) furthest_ = curves_.size() - 1;
  }
}

GridTable::Value GroupedTable::on_curve(std::size_t curve, double rows_each) const {
  const Curve& own = curves_[curve];
  const Curve& far = curves_[furthest_];
  if (rows_each <= own.longest || curve == furthest_) return own.over_rows_each.at(std::array{rows_each});
  const double added = far.over_rows_each.at(std::array{rows_each}).value - far.over_rows_each.at(std::array{own.longest}).value;
  return {own.over_rows_each.at(std::array{own.longest}).value + std::max(added, 0.0) * own.groups / far.groups, false};
}

GridTable::Value GroupedTable::at(double groups, double rows) const {
  const double rows_each = rows / groups;
  const auto not_below = std::ranges::lower_bound(curves_, groups, {}, &Curve::groups);
  if (not_below != curves_.end() && not_below->groups == groups) return on_curve(static_cast<std::size_t>(not_below - curves_.begin()), rows_each);
  const bool inside = not_below != curves_.begin() && not_below != curves_.end();
  if (curves_.size() == 1) return {on_curve(0, rows_each).value * groups / curves_[0].groups, false};
  const auto right = std::clamp<std::size_t>(static_cast<std::size_t>(not_below - curves_.begin()), 1, curves_.size() - 1);
  const GridTable::Value a = on_curve(right - 1, rows_each);
  const GridTable::Value b = on_curve(right, rows_each);
  const double left_groups = curves_[right - 1].groups;
  const double share = (groups - left_groups) / (curves_[right].groups - left_groups);
  const double line = a.value + share * (b.value - a.value);
  if (inside) return {line, (a.inside || share > 1 - hardly) && (b.inside || share < hardly)};
  // Never falling with more groups, and never faster than in proportion with fewer.
  if (share > 1) return {std::max(line, b.value), false};
  return {std::clamp(line, std::min(a.value * groups / left_groups, a.value), a.value), false};
}

}  // namespace rackwright::cost
