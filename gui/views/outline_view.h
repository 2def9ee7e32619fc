#pragma once

#include <QTreeView>
#include <string>

namespace rackwright::gui {

class OutlineModel;

/// The outline as a tree: one place of the scenario is current. Long lists begin folded.
class OutlineView final : public QTreeView {
  Q_OBJECT

 public:
  explicit OutlineView(OutlineModel& model, QWidget* parent = nullptr);

  void select(const std::string& path);
  std::string currentPath() const;

 Q_SIGNALS:
  void pathSelected(const std::string& path);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void unfold();

  OutlineModel& model_;
};

}  // namespace rackwright::gui
