#pragma once

#include <string>
#include <vector>

#include "scenarios/plots/plot.h"

namespace rackwright::plots {

/// The unit in which the values of an axis are marked; empty for plain numbers.
struct ShownUnit {
  std::string symbol;
  double scale = 1;
};

/// A round value on an axis, and where it lies from 0 to 1.
struct Mark {
  double value = 0;
  double at = 0;
  bool is_major = true;  ///< Worth a label.
};

/// Where the values of an axis lie, and the round ones that it marks. Says nothing about how they read.
class RoundScale {
 public:
  /// `low` and `high` are the smallest and the largest value to show; `exact` keeps them as the ends, as for a part that
  /// somebody zoomed into.
  enum class Ends { rounded, exact };
  RoundScale(const Axis& axis, double low, double high, Ends ends = Ends::rounded);

  /// Beyond [0, 1] for values that are not shown.
  double place(double value) const;
  double value_at(double place) const;
  const std::vector<Mark>& marks() const { return marks_; }
  /// Of a linear axis: the unit in which its marks are round,
  const ShownUnit& unit() const { return unit_; }
  /// and how far apart they are in it.
  double step() const { return step_; }

 private:
  double transformed(double value) const;
  void mark(double value, bool is_major = true) { marks_.push_back({value, place(value), is_major}); }
  void mark_linear(const Axis& axis, double low, double high, Ends ends);
  void mark_logarithmic(double low, double high, Ends ends);
  void mark_nines(double low, double high, Ends ends);

  Scale scale_;
  double low_ = 0;   ///< Transformed.
  double high_ = 1;  ///< Transformed.
  ShownUnit unit_;
  double step_ = 1;
  std::vector<Mark> marks_;
};

}  // namespace rackwright::plots
