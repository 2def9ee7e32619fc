#pragma once

#include <QObject>
#include <functional>
#include <string>

class QAction;
class QWidget;

namespace rackwright::gui {

class OutlineView;
class PropertyView;
class ScenarioEditor;

/// What can be done with the current place of the outline or the current parameter: add, duplicate, remove, move, reset.
class ScenarioActions final : public QObject {
  Q_OBJECT

 public:
  ScenarioActions(ScenarioEditor& editor, OutlineView& outline, PropertyView& properties, QObject* parent = nullptr);

  QAction* add;
  QAction* duplicate;
  QAction* remove;
  QAction* moveUp;
  QAction* moveDown;
  QAction* reset;  ///< Takes the current parameter out of the file.

 Q_SIGNALS:
  /// An edit was refused.
  void refused(const QString& problem);
  /// Something new stands there.
  void added(const std::string& path);

 private:
  void refresh();
  void addHere();
  void duplicateHere();
  void removeHere();
  void moveBy(int rows);
  void resetHere();
  /// The place that an action is about: of the widget with the focus.
  std::string place() const;

  ScenarioEditor& editor_;
  OutlineView& outline_;
  PropertyView& properties_;
};

}  // namespace rackwright::gui
