#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "scenarios/results/step_stretch.h"

namespace rackwright::gui {

/// A column of the table of steps: what it is called, and how a stretch reads in it.
struct StepColumn {
  QString title;
  QString help;
  QString widest;  ///< A text as long as those in it get.
  bool isText = false;
  std::function<QString(const results::StepStretch&)> text;
};

const std::vector<StepColumn>& stepColumns();

/// "prefill", "decode", "prefill and decode", or "other".
QString stepKindText(results::StepKind kind);

}  // namespace rackwright::gui
