#pragma once

#include <QString>

class QModelIndex;
class QWidget;

namespace rackwright::gui {

class PropertyModel;

/// The widget with which a value of the property editor is changed: choices and names are picked from a list,
/// bounded fractions also have a slider, everything else is typed and checked while it is.
QWidget* makeValueEditor(PropertyModel& model, const QModelIndex& index, QWidget* parent);
QString textOf(const QWidget& editor);
void setText(QWidget& editor, const QString& text);

}  // namespace rackwright::gui
