#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "gui/run/step_table_model.h"

class QComboBox;
class QLabel;
class QTableView;

namespace rackwright::gui {

struct LoadedRun;

/// The steps of one instance as a table; Return shows one in the timeline.
class StepsPage final : public QWidget {
  Q_OBJECT

 public:
  explicit StepsPage(QWidget* parent = nullptr);

  /// The rows are laid out once the page is seen.
  void show(std::shared_ptr<const LoadedRun> run);
  /// Makes the step at this instant current.
  void pick(std::uint32_t instance, SimTime when);
  StepTableModel& model() { return model_; }

 Q_SIGNALS:
  void timePicked(std::uint32_t instance, SimTime from, SimTime to);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void showInstance(int index);
  void select();

  std::shared_ptr<const LoadedRun> run_;
  bool filled_ = false;
  std::optional<SimTime> picked_;  ///< Until its row was read.
  StepTableModel model_;
  QComboBox* instance_;
  QLabel* count_;
  QTableView* table_;
};

}  // namespace rackwright::gui
