#pragma once

#include <string>
#include <vector>

#include "scenarios/plots/round_scale.h"

namespace rackwright::report {

/// A labelled place on an axis, from 0 (its beginning) to 1.
struct Tick {
  double at = 0;
  std::string label;  ///< Empty for a minor tick.
};

/// An axis as a report draws it: plain numbers along it, and their unit in its label.
class AxisScale {
 public:
  /// `low` and `high` are the smallest and the largest value to show.
  AxisScale(const plots::Axis& axis, double low, double high);

  /// In [0, 1] for shown values; clamped beyond them.
  double place(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  /// "Power (kW)": the axis's label with the unit of its ticks, if they do not carry one.
  const std::string& label() const { return label_; }

 private:
  plots::RoundScale scale_;
  std::vector<Tick> ticks_;
  std::string label_;
};

}  // namespace rackwright::report
