#pragma once

#include <QWidget>

#include "gui/run/request_table_model.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace rackwright::gui {

class RequestGantt;
struct LoadedRun;

/// Every request of a run as a row, to sort and to filter, and the life of the current one.
class RequestsPage final : public QWidget {
  Q_OBJECT

 public:
  explicit RequestsPage(QWidget* parent = nullptr);

  void show(const LoadedRun& run);
  /// Makes a request current; its row is found even where the filter leaves it out.
  void pick(std::uint64_t id);
  RequestTableModel& model() { return model_; }

 private:
  void refreshCount();

  RequestTableModel model_;
  QLineEdit* filter_;
  QLabel* count_;
  QTableView* table_;
  RequestGantt* gantt_;
};

}  // namespace rackwright::gui
