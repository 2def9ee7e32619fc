#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/run/step_blocks.h"

namespace rackwright::gui {

/// What one instance did in a window of time.
struct StepWindow {
  std::uint32_t instance = 0;
  SimTime from;
  SimTime to;
  std::vector<results::StepTotals> parts;        ///< Of equal parts of the window.
  std::vector<results::StepStretch> stretches;   ///< Each by itself, where there are no more than parts.
  QString problem;                               ///< Why there is nothing, if there should be.
};

/// Reads windows of steps in another thread. Of windows that were asked for while one was read, only the last is.
class StepSource final : public QObject {
  Q_OBJECT

 public:
  explicit StepSource(QObject* parent = nullptr) : QObject(parent) {}

  void setSteps(SharedSteps steps);
  const SharedSteps& steps() const { return steps_; }
  void ask(std::uint32_t instance, SimTime from, SimTime to, std::size_t parts);

 Q_SIGNALS:
  void answered(const std::shared_ptr<const rackwright::gui::StepWindow>& window);

 private:
  struct Question {
    std::uint32_t instance = 0;
    SimTime from;
    SimTime to;
    std::size_t parts = 0;
  };
  void read(const Question& question);

  SharedSteps steps_;
  std::optional<Question> next_;
  bool reading_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< Outlived by jobs under way, which then do nothing.
};

}  // namespace rackwright::gui
