#include "sim/report/axis_scale.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/numbers.h"

namespace rackwright::report {
namespace {

/// "p50", "p99.9".
std::string percentile(double p) { return fmt::format("p{:g}", 100 * p); }

std::string tick_label(const plots::Axis& axis, const plots::RoundScale& scale, const plots::Mark& mark) {
  if (!mark.is_major) return "";
  switch (axis.scale) {
    case plots::Scale::linear: return grouped(mark.value / scale.unit().scale, scale.step());
    case plots::Scale::logarithmic: {
      const bool is_count = axis.dimension.empty() || axis.dimension == "1/s";
      return is_count && mark.value >= 1 ? grouped(mark.value, 1) : round_quantity(mark.value, axis.dimension);
    }
    case plots::Scale::nines: return percentile(mark.value);
  }
  return "";
}

}  // namespace

AxisScale::AxisScale(const plots::Axis& axis, double low, double high) : scale_(axis, low, high), label_(axis.label) {
  for (const plots::Mark& mark : scale_.marks()) ticks_.push_back({mark.at, tick_label(axis, scale_, mark)});
  if (axis.scale != plots::Scale::linear) return;
  if (!scale_.unit().symbol.empty()) label_ += fmt::format(" ({})", scale_.unit().symbol);
  if (axis.dimension == "1/s") label_ += label_.ends_with("per second") ? "" : " (/s)";
}

double AxisScale::place(double value) const { return std::clamp(scale_.place(value), 0.0, 1.0); }

}  // namespace rackwright::report
