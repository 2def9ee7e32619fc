#pragma once

#include <QWidget>
#include <memory>
#include <optional>

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

  /// The rows are laid out once the page is seen.
  void show(std::shared_ptr<const LoadedRun> run);
  /// Makes a request current; its row is found even where the filter leaves it out.
  void pick(std::uint64_t id);
  RequestTableModel& model() { return model_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void refreshCount();

  void select();

  std::shared_ptr<const LoadedRun> awaiting_;  ///< Not laid out yet.
  std::optional<std::uint64_t> picked_;        ///< Stays current through sorting and filtering.

  RequestTableModel model_;
  QLineEdit* filter_;
  QLabel* count_;
  QTableView* table_;
  RequestGantt* gantt_;
};

}  // namespace rackwright::gui
