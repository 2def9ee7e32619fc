#pragma once

#include <QWidget>
#include <string>

class QLabel;
class QTreeView;

namespace rackwright::gui {

class CheckService;
class ProblemsModel;

/// The list of problems, and above it how the scenario stands. A double click or Enter goes to the place.
class ProblemsView final : public QWidget {
  Q_OBJECT

 public:
  ProblemsView(ProblemsModel& model, const CheckService& service, QWidget* parent = nullptr);

  QTreeView& tree() { return *tree_; }
  QString summary() const;

 Q_SIGNALS:
  void placeActivated(const std::string& path, int line);

 public:
  void refresh();

 private:
  ProblemsModel& model_;
  const CheckService& service_;
  QLabel* summary_;
  QTreeView* tree_;
};

}  // namespace rackwright::gui
