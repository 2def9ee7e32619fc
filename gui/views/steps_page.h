#pragma once

#include <optional>

#include "gui/run/step_table_model.h"
#include "gui/views/run_page.h"

class QLabel;
class QTableView;

namespace rackwright::gui {

/// The steps of one instance as a table; Return shows one in the timeline.
class StepsPage final : public RunPage {
  Q_OBJECT

 public:
  explicit StepsPage(QWidget* parent = nullptr);

  /// Makes the step at this instant current.
  void pick(std::uint32_t instance, SimTime when);
  StepTableModel& model() { return model_; }

 Q_SIGNALS:
  void timePicked(std::uint32_t instance, SimTime from, SimTime to);

 protected:
  void fill() override;

 private:
  void showInstance(std::uint32_t instance);
  void select();

  std::optional<SimTime> picked_;  ///< Until its row was read.
  StepTableModel model_;
  InstanceBox* instance_;
  QLabel* count_;
  QTableView* table_;
};

}  // namespace rackwright::gui
