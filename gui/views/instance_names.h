#pragma once

#include <QStringList>

#include "scenarios/results/run_description.h"

namespace rackwright::gui {

/// What the instances of a run are called, in their order: "3 · chat 1".
QStringList instanceNames(const results::RunDescription& run);

}  // namespace rackwright::gui
