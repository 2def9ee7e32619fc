#include "scenarios/plots/round_scale.h"

#include <algorithm>
#include <cmath>

#include "models/base/quantity.h"

namespace rackwright::plots {
namespace {

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

/// 1, 2 or 5 times a power of ten, so that about `steps` of them span `length`. A run that lasts a moment longer than ten
/// minutes is still marked every two of them.
double round_step(double length, int steps) {
  const double raw = length / steps;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * 1.01) return factor * power;
  }
  return 10 * power;
}

}  // namespace

RoundScale::RoundScale(const Axis& axis, double low, double high, Ends ends) : scale_(axis.scale) {
  if (axis.maximum && ends == Ends::rounded) high = std::max(high, *axis.maximum);
  switch (scale_) {
    case Scale::linear: mark_linear(axis, low, high, ends); break;
    case Scale::logarithmic: mark_logarithmic(low, high, ends); break;
    case Scale::nines: mark_nines(low, high, ends); break;
  }
}

double RoundScale::transformed(double value) const {
  switch (scale_) {
    case Scale::linear: return value;
    case Scale::logarithmic: return std::log10(std::max(value, 1e-300));
    case Scale::nines: return -std::log10(std::max(1 - value, 1e-12));
  }
  return value;
}

double RoundScale::place(double value) const { return (transformed(value) - low_) / (high_ - low_); }

double RoundScale::value_at(double place) const {
  const double at = low_ + place * (high_ - low_);
  switch (scale_) {
    case Scale::linear: return at;
    case Scale::logarithmic: return std::pow(10, at);
    case Scale::nines: return 1 - std::pow(10, -at);
  }
  return at;
}

void RoundScale::mark_linear(const Axis& axis, double low, double high, Ends ends) {
  if (axis.from_zero && ends == Ends::rounded) low = std::min(low, 0.0);
  if (!(high > low)) high = low + 1;
  // A short part of a long time is marked in seconds.
  unit_ = unit_for(axis.dimension, ends == Ends::exact ? high - low : high);
  constexpr int steps = 5;
  step_ = round_step((high - low) / unit_.scale, steps);
  const double step = step_ * unit_.scale;
  const double first = ends == Ends::rounded ? std::floor(low / step) : std::ceil(low / step - 1e-9);
  low_ = ends == Ends::rounded ? first * step : low;
  // Time ends where the run ends; quantities end on a mark.
  high_ = ends == Ends::exact || axis.dimension == "s" ? high : std::ceil(high / step - 1e-9) * step;
  for (double n = first; n * step <= high_ + step * 1e-6; ++n) mark(n * step);
}

void RoundScale::mark_logarithmic(double low, double high, Ends ends) {
  if (!(low > 0)) low = high > 0 ? high / 1e3 : 1e-3;
  if (!(high > low)) high = low * 10;
  // What lies further below is drawn along the bottom: a queue of nanoseconds is no queue.
  constexpr double most_decades = 1e5;
  low = std::max(low, high / most_decades);
  const double margin = ends == Ends::rounded ? 0.05 : 0;
  low_ = std::log10(low) - margin;
  high_ = std::log10(high) + margin;
  const bool few_decades = high_ - low_ < 2.5;
  for (int decade = static_cast<int>(std::floor(low_)); decade <= static_cast<int>(std::ceil(high_)); ++decade) {
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, decade);
      const double at = place(value);
      if (at >= 0 && at <= 1) mark(value, digit == 1 || few_decades);
    }
  }
}

void RoundScale::mark_nines(double low, double high, Ends ends) {
  low_ = ends == Ends::exact ? transformed(low) : 0;
  high_ = std::max(low_ + 0.1, transformed(std::min(high, 1 - 1e-9)));
  if (ends == Ends::rounded) high_ = std::max(1.0, high_);
  for (const double p : {0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999, 0.99999999, 0.999999999}) {
    if (place(p) >= 0 && place(p) <= 1 + 1e-9) mark(p);
  }
}

}  // namespace rackwright::plots
