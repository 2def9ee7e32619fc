#pragma once

#include <QString>
#include <vector>

#include "scenarios/plots/round_scale.h"

namespace rackwright::gui {

/// A labelled place on an axis, from 0 to 1.
struct AxisTick {
  double at = 0;
  QString label;
};

/// An axis as the window draws it: each tick carries its unit, so that it reads without a label.
class ChartAxis {
 public:
  using Ends = plots::RoundScale::Ends;
  /// `low` and `high` are the smallest and the largest value to show.
  ChartAxis(const plots::Axis& axis, double low, double high, Ends ends = Ends::rounded);

  /// Beyond [0, 1] for values that are not shown.
  double place(double value) const { return scale_.place(value); }
  double valueAt(double place) const { return scale_.value_at(place); }
  const std::vector<AxisTick>& ticks() const { return ticks_; }
  QString text(double value) const;

 private:
  plots::Axis axis_;
  plots::RoundScale scale_;
  std::vector<AxisTick> ticks_;
};

}  // namespace rackwright::gui
