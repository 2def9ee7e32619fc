#include "gui/charts/chart_axis.h"

#include <cmath>

#include "gui/run/number_text.h"
#include "models/base/quantity.h"

namespace rackwright::gui {
namespace {

/// No more digits than a round number needs.
QString tickText(double value, const plots::Axis& axis) {
  if (axis.scale == plots::Scale::nines) return QStringLiteral("p%1").arg(QString::number(value * 100, 'g', 11));
  const std::string& dimension = axis.dimension;
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

ChartAxis::ChartAxis(const plots::Axis& axis, double low, double high, Ends ends) : axis_(axis), scale_(axis, low, high, ends) {
  for (const plots::Mark& mark : scale_.marks()) {
    if (mark.is_major) ticks_.push_back({mark.at, tickText(mark.value, axis)});
  }
}

QString ChartAxis::text(double value) const {
  if (axis_.scale == plots::Scale::nines) return QStringLiteral("p%1").arg(QString::number(value * 100, 'g', 5));
  return quantityText(value, axis_.dimension);
}

}  // namespace rackwright::gui
