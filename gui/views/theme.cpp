#include "gui/views/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

#include "gui/charts/chart_palette.h"

namespace rackwright::gui {
namespace {

/// The tones of a palette, from which the roles of Qt take theirs.
struct Tones {
  QRgb window, base, alternateBase, button, tip, tipText, text, disabled, subtle, highlight, highlighted, link;
};

constexpr Tones light{0xF3F4F6, 0xFFFFFF, 0xF8F9FA, 0xFFFFFF, 0x222830, 0xF3F4F6, 0x1C222A, 0xA0A7B0, 0x666F7A, 0xD6E6F7, 0x102A43, 0x005A9E};
constexpr Tones dark{0x1D2127, 0x15181D, 0x1A1E23, 0x2A3038, 0x333A44, 0xE6E9ED, 0xE1E5EA, 0x666E78, 0x959EA9, 0x26435E, 0xF0F6FC, 0x56B4E9};

QPalette paletteOf(const Tones& tones) {
  QPalette palette(QColor(tones.window));
  palette.setColor(QPalette::Window, QColor(tones.window));
  palette.setColor(QPalette::Base, QColor(tones.base));
  palette.setColor(QPalette::AlternateBase, QColor(tones.alternateBase));
  palette.setColor(QPalette::Button, QColor(tones.button));
  palette.setColor(QPalette::ToolTipBase, QColor(tones.tip));
  palette.setColor(QPalette::ToolTipText, QColor(tones.tipText));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(role, QColor(tones.text));
    palette.setColor(QPalette::Disabled, role, QColor(tones.disabled));
  }
  palette.setColor(QPalette::PlaceholderText, QColor(tones.subtle));
  palette.setColor(QPalette::Highlight, QColor(tones.highlight));
  palette.setColor(QPalette::HighlightedText, QColor(tones.highlighted));
  palette.setColor(QPalette::Link, QColor(tones.link));
  return palette;
}

QString name(const QColor& color) { return color.name(QColor::HexRgb); }

/// Flat controls with room to breathe. Every colour comes from the palette.
QString styleSheet(const QPalette& palette) {
  const ThemeColors colors = themeColors(palette);
  QString sheet = QStringLiteral(R"(
QMainWindow::separator { background: %border; width: 1px; height: 1px; }
QToolBar { background: %raised; border: none; border-bottom: 1px solid %border; padding: 5px 8px; spacing: 3px; }
QToolBar::separator { background: %border; width: 1px; margin: 4px 6px; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px 7px; }
QToolButton:hover:enabled { background: %hover; }
QToolButton:pressed, QToolButton:checked { background: %pressed; }
QToolButton:focus { border-color: %accent; }
QToolButton[primary="true"] { background: %accent; color: %onAccent; font-weight: 600; padding: 4px 14px; }
QToolButton[primary="true"]:disabled { background: %pressed; color: %disabled; }
QPushButton { background: %button; border: 1px solid %border; border-radius: 5px; padding: 5px 12px; }
QPushButton:hover:enabled { background: %hover; }
QPushButton:focus { border-color: %accent; }
QPushButton[card="true"] { background: %card; border-radius: 8px; padding: 0; text-align: left; }
QPushButton[card="true"]:hover { background: %card; border-color: %accent; }
QPushButton[link="true"] { background: transparent; border-color: transparent; padding: 5px 8px; text-align: left; }
QPushButton[link="true"]:hover { background: %hover; }
QPushButton[link="true"]:focus { border-color: %accent; }
QPushButton[primary="true"] { background: %accent; border-color: %accent; color: %onAccent; font-weight: 600; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QDockWidget::title { background: %window; padding: 7px 6px 5px 6px; text-align: left; }
QTabWidget::pane { border: none; border-top: 1px solid %border; }
QTabWidget::tab-bar { left: 6px; }
QTabBar::tab { background: transparent; border: none; border-bottom: 2px solid transparent; padding: 7px 12px 6px 12px; color: %subtle; }
QTabBar::tab:selected { color: %text; border-bottom-color: %accent; }
QTabBar::tab:hover:!selected { color: %text; }
QTabBar::tab:selected:focus { color: %accent; }
QTreeView, QTableView, QListView, QPlainTextEdit, QTextBrowser { border: none; background: %base; selection-background-color: %highlight; selection-color: %highlighted; outline: none; }
QTreeView::item { padding: 4px 2px; border: none; }
QTableView::item { padding: 0 13px 0 7px; border: none; }
QTreeView::item:hover:!selected { background: %faint; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected { background: %highlight; color: %highlighted; }
QHeaderView { background: %base; }
QHeaderView::section { background: %base; color: %subtle; border: none; border-bottom: 1px solid %border; padding: 5px 14px 5px 8px; font-weight: normal; }
QTreeView QHeaderView::section:first { padding-left: 10px; }
QTableView QHeaderView::section { padding: 5px 16px 5px 9px; }
QLineEdit { background: %base; border: 1px solid %border; border-radius: 4px; padding: 3px 6px; selection-background-color: %highlight; selection-color: %highlighted; }
QLineEdit:focus { border-color: %accent; }
QLineEdit[invalid="true"] { border-color: %error; }
QStatusBar { background: %raised; border-top: 1px solid %border; }
QStatusBar::item { border: none; }
QProgressBar { background: %pressed; border: none; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: %accent; border-radius: 3px; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: %scroll; border-radius: 3px; margin: 3px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: %subtle; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; border: none; width: 0; height: 0; }
QToolTip { background: %tip; color: %tipText; border: 1px solid %border; padding: 4px; }
QMenu { background: %raised; border: 1px solid %border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: %highlight; color: %highlighted; }
QMenu::separator { height: 1px; background: %border; margin: 4px 8px; }
QMenuBar { background: %raised; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: %hover; }
QFrame[card="true"] { background: %card; border: 1px solid %border; border-radius: 8px; }
QLabel { background: transparent; }
QScrollArea { background: transparent; }
QLabel[subtle="true"] { color: %subtle; }
QLabel[heading="true"] { font-size: 17pt; font-weight: 600; }
)");
  const auto mix = [&](double share) { return between(palette.color(QPalette::Window), palette.color(QPalette::WindowText), share); };
  const std::pair<const char*, QColor> values[] = {
      {"%highlighted", palette.color(QPalette::HighlightedText)},
      {"%highlight", palette.color(QPalette::Highlight)},
      {"%onAccent", colors.onAccent},
      {"%disabled", palette.color(QPalette::Disabled, QPalette::ButtonText)},
      {"%tipText", palette.color(QPalette::ToolTipText)},
      {"%pressed", mix(0.13)},
      {"%scroll", mix(0.22)},
      {"%hover", mix(0.07)},
      {"%faint", mix(0.035)},
      {"%accent", colors.accent},
      {"%subtle", colors.subtle},
      {"%border", colors.border},
      {"%raised", colors.raised},
      {"%error", colors.error},
      {"%button", palette.color(QPalette::Button)},
      {"%window", palette.color(QPalette::Window)},
      {"%base", palette.color(QPalette::Base)},
      {"%card", palette.color(QPalette::Base)},
      {"%text", palette.color(QPalette::WindowText)},
      {"%tip", palette.color(QPalette::ToolTipBase)},
  };
  for (const auto& [key, color] : values) sheet.replace(QLatin1String(key), name(color));
  return sheet;
}

}  // namespace

// Blue, vermillion, orange and bluish green of Okabe and Ito's palette for colour-blind readers
// (jfly.uni-koeln.de/color), darkened for text on white.
ThemeColors themeColors(const QPalette& palette) {
  if (isDark(palette)) {
    return {QColor(0x56, 0xB4, 0xE9), QColor(0x10, 0x18, 0x20), QColor(0x95, 0x9E, 0xA9), QColor(0x31, 0x38, 0x41), QColor(0x23, 0x28, 0x2F), QColor(0xF0, 0x7D, 0x4A),
            QColor(0xF0, 0xB4, 0x29), QColor(0x2F, 0xC0, 0x95), QColor(0x7C, 0xC4, 0xF0), QColor(0xD9, 0xB3, 0x7A), QColor(0x7F, 0xD1, 0xAE)};
  }
  return {QColor(0x00, 0x5A, 0x9E), QColor(Qt::white), QColor(0x66, 0x6F, 0x7A), QColor(0xDC, 0xE0, 0xE5), QColor(0xFB, 0xFC, 0xFD), QColor(0xC4, 0x45, 0x00),
          QColor(0x9A, 0x65, 0x00), QColor(0x00, 0x7A, 0x5A), QColor(0x00, 0x55, 0x96), QColor(0x8A, 0x4B, 0x08), QColor(0x00, 0x6E, 0x52)};
}

void applyTheme(QApplication& application, ThemeChoice choice) {
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(QPalette());  // Back to the desktop's, which tells light from dark; the tones are ours.
  const bool isToBeDark = choice == ThemeChoice::dark || (choice == ThemeChoice::system && isDark(QApplication::palette()));
  const QPalette palette = paletteOf(isToBeDark ? dark : light);
  QApplication::setPalette(palette);
  application.setStyleSheet(styleSheet(palette));
}

}  // namespace rackwright::gui
