#pragma once

#include <span>
#include <vector>

#include "models/cost/grid_table.h"

namespace rackwright::cost {

/// Measured times of grouped products of one shape and format, over the groups in use and the rows that they share.
///
/// What a group costs follows its own rows, not those of all: with r = rows / groups, each number of groups that was measured
/// has a curve t(r). Between two of them t is a straight line in the groups at the same r, and so is it beyond the largest. Below
/// the smallest it follows that line, but falls at most as the groups do. Past the end of a curve more rows add to a group what
/// they add on the curve that reaches furthest. Measured places come out exactly; t never falls with groups at the same r, nor with r,
/// where no measured time does.
class GroupedTable {
 public:
  struct Point {
    double groups = 0;
    double rows = 0;
    double value = 0;
  };
  explicit GroupedTable(std::span<const Point> points);

  GridTable::Value at(double groups, double rows) const;

  /// Rows of each group at which the curve that reaches furthest ends.
  double most_rows_each() const { return curves_[furthest_].longest; }

 private:
  GridTable::Value on_curve(std::size_t curve, double rows_each) const;

  struct Curve {
    double groups;
    GridTable over_rows_each;
    double longest;  ///< Rows of each group, as far as measured.
  };
  std::vector<Curve> curves_;  ///< Ascending in their groups.
  std::size_t furthest_ = 0;
};

}  // namespace rackwright::cost
