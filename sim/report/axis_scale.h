#pragma once

#include <string>
#include <vector>

#include "scenarios/plots/plot.h"

namespace rackwright::report {

/// A labelled place on an axis, from 0 (its beginning) to 1.
struct Tick {
  double at = 0;
  std::string label;  ///< Empty for a minor tick.
};

/// Where values of an axis lie, and its ticks at round numbers.
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
  double transformed(double value) const;
  void make_linear(const plots::Axis& axis, double low, double high);
  void make_logarithmic(const plots::Axis& axis, double low, double high);
  void make_nines(double high);

  plots::Scale scale_;
  double low_ = 0;   ///< Transformed.
  double high_ = 1;  ///< Transformed.
  std::vector<Tick> ticks_;
  std::string label_;
};

}  // namespace rackwright::report
