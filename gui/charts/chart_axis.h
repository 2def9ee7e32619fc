#pragma once

#include <QString>
#include <vector>

#include "scenarios/plots/plot.h"

namespace rackwright::gui {

/// A labelled place on an axis, from 0 to 1.
struct AxisTick {
  double at = 0;
  QString label;
};

/// Where values of a plot lie on an axis from 0 to 1, with ticks at round numbers that carry their unit.
class ChartAxis {
 public:
  /// `low` and `high` are the smallest and the largest value to show; `exact` keeps them as the ends, as for a part
  /// that somebody zoomed into.
  enum class Ends { rounded, exact };
  ChartAxis(const plots::Axis& axis, double low, double high, Ends ends = Ends::rounded);

  /// Beyond [0, 1] for values that are not shown.
  double place(double value) const;
  double valueAt(double place) const;
  const std::vector<AxisTick>& ticks() const { return ticks_; }
  QString text(double value) const;

 private:
  double transformed(double value) const;
  void tickLinear(double low, double high, Ends ends);
  void tickLogarithmic(double low, double high, Ends ends);
  void tickNines(double low, double high, Ends ends);

  plots::Axis axis_;
  double low_ = 0;   ///< Transformed.
  double high_ = 1;  ///< Transformed.
  std::vector<AxisTick> ticks_;
};

}  // namespace rackwright::gui
