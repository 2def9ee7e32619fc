#pragma once

#include <QWidget>
#include <string>

class QLabel;
class QTreeView;

namespace rackwright::gui {

class PropertyModel;

/// The property editor: where one is, the parameters of that place, and below them what the current one means.
class PropertyView final : public QWidget {
  Q_OBJECT

 public:
  explicit PropertyView(PropertyModel& model, QWidget* parent = nullptr);

  /// Shows a place and, inside it, makes the parameter at `focus` current.
  void show(const std::string& path, const std::string& focus = {});
  /// The current parameter; empty when there is none.
  std::string currentPath() const;
  void edit();
  QTreeView& tree() { return *tree_; }

 Q_SIGNALS:
  /// An item of a list was activated: somebody wants to go there.
  void placeActivated(const std::string& path);
  void currentPathChanged(const std::string& path);

 private:
  void describe();
  void unfold();
  void activate(const QModelIndex& index);

  PropertyModel& model_;
  QLabel* place_;
  QTreeView* tree_;
  QLabel* help_;
};

}  // namespace rackwright::gui
