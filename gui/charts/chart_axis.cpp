#include "gui/charts/chart_axis.h"

#include <algorithm>
#include <cmath>

#include "gui/charts/number_text.h"
#include "models/base/quantity.h"

namespace rackwright::gui {
namespace {

/// 1, 2 or 5 times a power of ten, so that about `steps` of them span `length`.
double roundStep(double length, int steps) {
  const double raw = length / steps;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// Steps of time are round in the unit in which they read.
double roundTimeStep(double length, int steps) {
  for (const double step : {60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 14400.0, 21600.0, 43200.0, 86400.0}) {
    if (length > 240 && length / step <= steps + 1) return step;
  }
  return length > 240 ? 86400 * roundStep(length / 86400, steps) : roundStep(length, steps);
}

/// No more digits than a round number needs.
QString tickText(double value, const std::string& dimension) {
  if (value == 0) return QStringLiteral("0");
  if (dimension == "fraction") return QString::number(value * 100, 'g', 4) + QStringLiteral(" %");
  if (dimension == "s" && std::abs(value) >= 60) {
    const double unit = value >= 86400 ? 86400 : value >= 3600 ? 3600 : 60;
    const char* symbol = value >= 86400 ? " d" : value >= 3600 ? " h" : " min";
    if (std::fmod(value, unit / 10) == 0) return QString::number(value / unit, 'g', 4) + QLatin1String(symbol);
    return durationText(value);
  }
  if (dimension.empty() || dimension == "1/s") {
    const double size = std::abs(value);
    if (size >= 1e6) return QString::number(value / 1e6, 'g', 4) + QStringLiteral(" M");
    if (size >= 1e4) return QString::number(value / 1e3, 'g', 4) + QStringLiteral(" k");
    return QString::number(value, 'g', 4);
  }
  return unitText(format_quantity(value, dimension, 4));
}

}  // namespace

ChartAxis::ChartAxis(const plots::Axis& axis, double low, double high, Ends ends) : axis_(axis) {
  if (axis.maximum && ends == Ends::rounded) high = std::max(high, *axis.maximum);
  switch (axis_.scale) {
    case plots::Scale::linear: tickLinear(low, high, ends); break;
    case plots::Scale::logarithmic: tickLogarithmic(low, high, ends); break;
    case plots::Scale::nines: tickNines(low, high, ends); break;
  }
}

double ChartAxis::transformed(double value) const {
  switch (axis_.scale) {
    case plots::Scale::linear: return value;
    case plots::Scale::logarithmic: return std::log10(std::max(value, 1e-300));
    case plots::Scale::nines: return -std::log10(std::max(1 - value, 1e-12));
  }
  return value;
}

double ChartAxis::place(double value) const { return (transformed(value) - low_) / (high_ - low_); }

double ChartAxis::valueAt(double place) const {
  const double at = low_ + place * (high_ - low_);
  switch (axis_.scale) {
    case plots::Scale::linear: return at;
    case plots::Scale::logarithmic: return std::pow(10, at);
    case plots::Scale::nines: return 1 - std::pow(10, -at);
  }
  return at;
}

QString ChartAxis::text(double value) const {
  if (axis_.scale == plots::Scale::nines) return QStringLiteral("p%1").arg(QString::number(value * 100, 'g', 5));
  return quantityText(value, axis_.dimension);
}

void ChartAxis::tickLinear(double low, double high, Ends ends) {
  if (axis_.from_zero && ends == Ends::rounded) low = std::min(low, 0.0);
  if (!(high > low)) high = low + 1;
  constexpr int steps = 5;
  const double step = axis_.dimension == "s" ? roundTimeStep(high - low, steps) : roundStep(high - low, steps);
  const double first = ends == Ends::rounded ? std::floor(low / step) : std::ceil(low / step - 1e-9);
  low_ = ends == Ends::rounded ? first * step : low;
  // Time ends where the run ends; quantities end on a tick.
  high_ = ends == Ends::exact || axis_.dimension == "s" ? high : std::ceil(high / step - 1e-9) * step;
  for (double n = first; n * step <= high_ + step * 1e-6; ++n) ticks_.push_back({place(n * step), tickText(n * step, axis_.dimension)});
}

void ChartAxis::tickLogarithmic(double low, double high, Ends ends) {
  if (!(low > 0)) low = high > 0 ? high / 1e3 : 1e-3;
  if (!(high > low)) high = low * 10;
  // What lies further below is drawn along the bottom: a queue of nanoseconds is no queue.
  constexpr double mostDecades = 1e5;
  low = std::max(low, high / mostDecades);
  const double margin = ends == Ends::rounded ? 0.05 : 0;
  low_ = std::log10(low) - margin;
  high_ = std::log10(high) + margin;
  const bool fewDecades = high_ - low_ < 2.5;
  for (int decade = static_cast<int>(std::floor(low_)); decade <= static_cast<int>(std::ceil(high_)); ++decade) {
    for (const int digit : {1, 2, 5}) {
      if (digit != 1 && !fewDecades) continue;
      const double value = digit * std::pow(10, decade);
      const double at = place(value);
      if (at >= 0 && at <= 1) ticks_.push_back({at, tickText(value, axis_.dimension)});
    }
  }
}

void ChartAxis::tickNines(double low, double high, Ends ends) {
  low_ = ends == Ends::exact ? transformed(low) : 0;
  high_ = std::max(low_ + 0.1, transformed(std::min(high, 1 - 1e-9)));
  if (ends == Ends::rounded) high_ = std::max(1.0, high_);
  for (const double p : {0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999}) {
    const double at = place(p);
    if (at >= 0 && at <= 1 + 1e-9) ticks_.push_back({at, text(p)});
  }
}

}  // namespace rackwright::gui
