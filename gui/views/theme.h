#pragma once

#include <QColor>

class QApplication;
class QPalette;

namespace rackwright::gui {

enum class ThemeChoice { system, light, dark };

/// Colours by what they mean. Severities and series are told apart by shape too, never by colour alone.
struct ThemeColors {
  QColor accent;
  QColor onAccent;  ///< Text and icons on it.
  QColor subtle;   ///< Text that can be overlooked.
  QColor border;
  QColor raised;   ///< Cards and bars above the window's background.
  QColor error;
  QColor warning;
  QColor good;
  QColor syntaxKey;
  QColor syntaxString;
  QColor syntaxNumber;
};

/// Between the left or right edge of a page and what stands on it.
constexpr int pageMargin = 18;

ThemeColors themeColors(const QPalette& palette);

/// Sets style, palette and style sheet. The choice `system` is as light or dark as the desktop's palette.
void applyTheme(QApplication& application, ThemeChoice choice);

}  // namespace rackwright::gui
