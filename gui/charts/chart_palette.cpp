#include "gui/charts/chart_palette.h"

#include <QPalette>
#include <array>

namespace rackwright::gui {
namespace {

// Okabe and Ito's colours, which people with any common colour blindness can tell apart, without the yellow that
// vanishes on white (M. Okabe, K. Ito, "Color Universal Design", 2008); lighter ones on dark.
constexpr std::array<QRgb, 7> onLight{0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7, 0xff56b4e9, 0xffe69f00, 0xff5c636b};
constexpr std::array<QRgb, 7> onDark{0xff56b4e9, 0xffff8c42, 0xff2fc095, 0xffe29cc4, 0xff8ecbf0, 0xfff0b429, 0xffa8b0ba};
constexpr std::array<Qt::PenStyle, 4> styles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

}  // namespace

bool isDark(const QPalette& palette) { return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness(); }

QColor between(const QColor& a, const QColor& b, double share) {
  const auto part = [share](int from, int to) { return static_cast<int>(from + (to - from) * share); };
  return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

QColor seriesColor(std::size_t series, const QPalette& palette) {
  return QColor(isDark(palette) ? onDark[series % onDark.size()] : onLight[series % onLight.size()]);
}

QPen seriesPen(std::size_t series, const QPalette& palette) {
  QPen pen(seriesColor(series, palette), 1.8, styles[series % styles.size()]);
  pen.setCapStyle(Qt::RoundCap);
  pen.setJoinStyle(Qt::RoundJoin);
  return pen;
}

QColor limitColor(const QPalette& palette) { return isDark(palette) ? QColor(0xf0, 0x7d, 0x4a) : QColor(0xb0, 0x3a, 0x00); }
QColor gridColor(const QPalette& palette) { return between(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.10); }
QColor subtleColor(const QPalette& palette) { return between(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.66); }

QColor stepColor(results::StepKind kind, const QPalette& palette) {
  switch (kind) {
    case results::StepKind::prefill: return phaseColor(Phase::prefill, palette);
    case results::StepKind::decode: return phaseColor(Phase::decode, palette);
    case results::StepKind::mixed: return seriesColor(2, palette);
    case results::StepKind::other: return phaseColor(Phase::waiting, palette);
  }
  return {};
}

QColor phaseColor(Phase phase, const QPalette& palette) {
  switch (phase) {
    case Phase::waiting: return between(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.30);
    case Phase::prefill: return seriesColor(1, palette);
    case Phase::decode: return seriesColor(0, palette);
  }
  return {};
}

}  // namespace rackwright::gui
