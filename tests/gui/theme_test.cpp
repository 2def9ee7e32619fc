// Whether what stands in the window can be read, light and dark.
#include <QApplication>
#include <QPalette>
#include <algorithm>
#include <cmath>

#include "gui/charts/chart_palette.h"
#include "gui/views/severity_mark.h"
#include "gui/views/theme.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;

namespace {

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }
double luminance(const QColor& color) { return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF()); }

/// (L1 + 0.05) / (L2 + 0.05), WCAG 2.1, "contrast ratio".
double contrast(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

// WCAG 2.1, 1.4.3 (text) and 1.4.11 (graphics).
constexpr double ofText = 4.5;
constexpr double ofGraphics = 3;

}  // namespace

TEST_CASE("Texts and marks stand out from their ground, light and dark") {
  const auto choice = GENERATE(gui::ThemeChoice::light, gui::ThemeChoice::dark);
  gui::applyTheme(*qApp, choice);
  const QPalette palette = QApplication::palette();
  CHECK(gui::isDark(palette) == (choice == gui::ThemeChoice::dark));
  const gui::ThemeColors colors = gui::themeColors(palette);
  for (const QColor& ground : {palette.color(QPalette::Window), palette.color(QPalette::Base), palette.color(QPalette::AlternateBase), colors.raised}) {
    INFO("on " << ground.name().toStdString());
    for (const QColor& text : {palette.color(QPalette::Text), palette.color(QPalette::PlaceholderText), palette.color(QPalette::Link), colors.subtle, colors.accent,
                               colors.error, colors.warning, colors.good, colors.syntaxKey, colors.syntaxString, colors.syntaxNumber, gui::subtleColor(palette)}) {
      INFO(text.name().toStdString());
      CHECK(contrast(text, ground) >= ofText);
    }
  }
  CHECK(contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)) >= ofText);
  CHECK(contrast(palette.color(QPalette::ToolTipText), palette.color(QPalette::ToolTipBase)) >= ofText);
  CHECK(contrast(colors.onAccent, colors.accent) >= ofText);
  for (std::size_t series = 0; series < 3; ++series) {
    INFO("series " << series);
    CHECK(contrast(gui::seriesColor(series, palette), palette.color(QPalette::Base)) >= ofGraphics);
  }
}

TEST_CASE("Series that follow one another differ by the line as well, not by colour alone") {
  for (std::size_t series = 0; series < 8; ++series) {
    CHECK(gui::seriesPen(series, QPalette()).style() != gui::seriesPen(series + 1, QPalette()).style());
    CHECK(gui::seriesColor(series, QPalette()) != gui::seriesColor(series + 1, QPalette()));
  }
}
