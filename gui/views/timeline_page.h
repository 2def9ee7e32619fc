#pragma once

#include <QWidget>
#include <memory>

#include "gui/charts/time_window.h"
#include "models/base/time.h"

class QComboBox;
class QLabel;

namespace rackwright::gui {

class InstanceLanes;
class StepTracks;
struct LoadedRun;

/// What one instance did over time: its steps, where the run kept them, and its requests below.
class TimelinePage final : public QWidget {
  Q_OBJECT

 public:
  explicit TimelinePage(QWidget* parent = nullptr);

  /// All is laid out once the page is seen.
  void show(std::shared_ptr<const LoadedRun> run);
  /// Shows a time of an instance, with some around it.
  void showTime(std::uint32_t instance, SimTime from, SimTime to);

 Q_SIGNALS:
  void requestPicked(std::uint64_t id);
  void stepPicked(std::uint32_t instance, SimTime when);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void paintLegend();
  void fill();
  void showInstance(int index);

  std::shared_ptr<const LoadedRun> run_;
  bool filled_ = false;
  TimeWindow window_;
  QLabel* legend_;
  QComboBox* instance_;
  QLabel* note_;
  StepTracks* steps_;
  InstanceLanes* lanes_;
};

}  // namespace rackwright::gui
