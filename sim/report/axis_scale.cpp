#include "sim/report/axis_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "models/base/quantity.h"
#include "sim/report/numbers.h"

namespace rackwright::report {
namespace {

struct ShownUnit {
  std::string symbol;
  double scale = 1;
};

/// The unit in which values up to `high` read best. Simulated time reads in minutes and hours.
ShownUnit unit_for(const std::string& dimension, double high) {
  if (dimension == "fraction") return {"%", 0.01};
  if (dimension == "s" && high > 4 * 86400) return {"d", 86400};
  if (dimension == "s" && high > 3 * 3600) return {"h", 3600};
  if (dimension == "s" && high > 300) return {"min", 60};
  if (dimension.empty() || dimension == "1/s") return {};
  const std::string text = format_quantity(high, dimension, 3);
  const std::string symbol = text.substr(text.find(' ') + 1);
  const Unit* unit = find_unit(symbol);
  return unit ? ShownUnit{symbol, unit->scale} : ShownUnit{dimension, 1};
}

/// 1, 2 or 5 times a power of ten, so that about `steps` of them span `length`.
double round_step(double length, int steps) {
  const double raw = length / steps;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

AxisScale::AxisScale(const plots::Axis& axis, double low, double high) : scale_(axis.scale), label_(axis.label) {
  if (axis.maximum) high = std::max(high, *axis.maximum);
  switch (scale_) {
    case plots::Scale::linear: make_linear(axis, low, high); break;
    case plots::Scale::logarithmic: make_logarithmic(axis, low, high); break;
    case plots::Scale::nines: make_nines(high); break;
  }
}

double AxisScale::transformed(double value) const {
  switch (scale_) {
    case plots::Scale::linear: return value;
    case plots::Scale::logarithmic: return std::log10(value);
    case plots::Scale::nines: return -std::log10(1 - value);
  }
  return value;
}

double AxisScale::place(double value) const {
  return std::clamp((transformed(value) - low_) / (high_ - low_), 0.0, 1.0);
}

void AxisScale::make_linear(const plots::Axis& axis, double low, double high) {
  if (axis.from_zero) low = std::min(low, 0.0);
  if (!(high > low)) high = low + 1;
  const ShownUnit unit = unit_for(axis.dimension, high);
  const double step = round_step((high - low) / unit.scale, 5);
  const double first = std::floor(low / unit.scale / step);
  const double last = std::ceil(high / unit.scale / step - 1e-9);
  low_ = first * step * unit.scale;
  high_ = last * step * unit.scale;
  // Time ends where the run ends; quantities end on a tick.
  if (axis.dimension == "s") high_ = high;
  for (double n = first; n <= last; ++n) {
    const double value = n * step;
    if (value * unit.scale > high_ * (1 + 1e-9)) break;
    ticks_.push_back({place(value * unit.scale), grouped(value, step)});
  }
  if (!unit.symbol.empty()) label_ += fmt::format(" ({})", unit.symbol);
  if (axis.dimension == "1/s") label_ += label_.ends_with("per second") ? "" : " (/s)";
}

void AxisScale::make_logarithmic(const plots::Axis& axis, double low, double high) {
  if (!(low > 0)) low = 1e-3;
  if (!(high > low)) high = low * 10;
  // What lies further below is drawn along the bottom: a queue of nanoseconds is no queue.
  constexpr double most_decades = 1e5;
  low = std::max(low, high / most_decades);
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  low_ = std::log10(low) - 0.05;
  high_ = std::log10(high) + 0.05;
  const bool few_decades = high_ - low_ < 2.5;
  for (int decade = first - 1; decade <= last; ++decade) {
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, decade);
      if (std::log10(value) < low_ || std::log10(value) > high_) continue;
      const bool labelled = digit == 1 || few_decades;
      ticks_.push_back({place(value), labelled ? round_quantity(value, axis.dimension) : ""});
    }
  }
}

void AxisScale::make_nines(double high) {
  low_ = 0;
  high_ = std::max(1.0, transformed(std::min(high, 1 - 1e-9)));
  ticks_.push_back({0, "p0"});
  ticks_.push_back({place(0.5), "p50"});
  double rest = 0.1;
  for (int nines = 1; nines <= high_ + 1e-9; ++nines) {
    ticks_.push_back({place(1 - rest), fmt::format("p{:.{}f}", 100 * (1 - rest), std::max(0, nines - 2))});
    rest /= 10;
  }
}

}  // namespace rackwright::report
