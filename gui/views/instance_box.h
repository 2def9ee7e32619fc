#pragma once

#include <QComboBox>

#include "scenarios/results/run_description.h"

namespace rackwright::gui {

/// A choice among the instances of a run, in their order: "3 · chat 1".
class InstanceBox final : public QComboBox {
  Q_OBJECT

 public:
  explicit InstanceBox(QWidget* parent = nullptr);

  /// The first one is chosen, without `instanceChosen`.
  void setRun(const results::RunDescription& run);
  /// Of a run that has instances.
  std::uint32_t instance() const { return static_cast<std::uint32_t>(currentIndex()); }
  void choose(std::uint32_t instance) { setCurrentIndex(static_cast<int>(instance)); }

 Q_SIGNALS:
  void instanceChosen(std::uint32_t instance);
};

}  // namespace rackwright::gui
