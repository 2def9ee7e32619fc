#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rackwright::cost {

/// Measured values over up to four axes, interpolated linearly along each.
///
/// The grid need not be full: under every value of the first axis the second has its own values, and so on, as in a
/// union of two grids. Linear, because cross-validation of a public operator profile found it better than log space.
class GridTable {
 public:
  static constexpr int most_axes = 4;
  struct Point {
    std::array<double, most_axes> at{};
    double value = 0;
  };
  struct Value {
    double value = 0;
    bool inside = true;  ///< Within the measured range on every axis.
  };

  /// At least one point. Values at the same place are averaged. Axes past `axes` are ignored.
  GridTable(int axes, std::span<const Point> points);

  int axes() const { return static_cast<int>(levels_.size()); }

  /// Below the range of an axis, the value at its first point; above, the line through its last two points, never falling.
  Value at(std::span<const double> coordinates) const;

  /// Whether `x` lies within the range of the first axis.
  bool covers_first(double x) const { return x >= levels_.front().front().key && x <= levels_.front().back().key; }

  /// The least value of the first axis that is not below `x`; `x` itself beyond the range.
  double next_first(double x) const;

  /// The values of the first axis between which `x` lies; both the nearest one on it or beyond the range.
  std::pair<double, double> around_first(double x) const;

  /// The values of the last axis between which `at` is a straight line, for these coordinates on the axes before it.
  std::vector<double> knots(std::span<const double> before_last) const;

 private:
  struct Node {
    double key = 0;
    double value = 0;           ///< On the last axis.
    std::uint32_t first = 0;    ///< Children on the next axis.
    std::uint32_t last = 0;
  };
  struct Bracket {
    std::uint32_t left;
    std::uint32_t right;
    double share;  ///< Of the right one; above 1 beyond the range.
    bool inside;
  };
  Bracket bracket(std::size_t level, std::uint32_t first, std::uint32_t last, double x) const;
  Value value(std::size_t level, std::uint32_t first, std::uint32_t last, std::span<const double> x) const;
  void collect(std::size_t level, std::uint32_t first, std::uint32_t last, std::span<const double> x, std::vector<double>& keys) const;

  std::vector<std::vector<Node>> levels_;
};

}  // namespace rackwright::cost
