#pragma once

#include <optional>

#include "gui/run/request_table_model.h"
#include "gui/views/run_page.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace rackwright::gui {

class RequestGantt;

/// Every request of a run as a row, to sort and to filter, and the life of the current one.
class RequestsPage final : public RunPage {
  Q_OBJECT

 public:
  explicit RequestsPage(QWidget* parent = nullptr);

  /// Makes a request current; its row is found even where the filter leaves it out.
  void pick(std::uint64_t id);
  RequestTableModel& model() { return model_; }

 protected:
  void fill() override;

 private:
  void filter();
  void refreshCount();
  void select();

  std::optional<std::uint64_t> picked_;  ///< Stays current through sorting and filtering.
  RequestTableModel model_;
  QLineEdit* filter_;
  QLabel* count_;
  QTableView* table_;
  RequestGantt* gantt_;
};

}  // namespace rackwright::gui
