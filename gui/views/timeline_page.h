#pragma once

#include "gui/charts/time_window.h"
#include "gui/views/run_page.h"
#include "models/base/time.h"

class QLabel;

namespace rackwright::gui {

class InstanceLanes;
class StepTracks;

/// What one instance did over time: its steps, where the run kept them, and its requests below.
class TimelinePage final : public RunPage {
  Q_OBJECT

 public:
  explicit TimelinePage(QWidget* parent = nullptr);

  /// Shows a time of an instance, with some around it.
  void showTime(std::uint32_t instance, SimTime from, SimTime to);

 Q_SIGNALS:
  void requestPicked(std::uint64_t id);
  void stepPicked(std::uint32_t instance, SimTime when);

 protected:
  void fill() override;
  void changeEvent(QEvent* event) override;

 private:
  void paintLegend();
  void showInstance(std::uint32_t instance);

  TimeWindow window_;
  InstanceBox* instance_;
  QLabel* legend_;
  QLabel* note_;
  StepTracks* steps_;
  InstanceLanes* lanes_;
};

}  // namespace rackwright::gui
