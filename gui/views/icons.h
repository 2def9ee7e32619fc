#pragma once

#include <QIcon>

class QWidget;

namespace rackwright::gui {

enum class Icon {
  add, cancel, chart, check, clock, close, dark, document, duplicate, error, folder, moveDown, moveUp, newFile, note, open,
  pause, redo, remove, report, reset, run, save, search, stop, table, undo, warning,
};

/// A line drawing in the colour of the text that stands beside it, or in `color` where that is valid. It follows the
/// palette and the screen's density.
QIcon icon(Icon which, const QColor& color = {});

/// The drawing as a widget of its own.
QWidget* iconWidget(Icon which, int size);

}  // namespace rackwright::gui
