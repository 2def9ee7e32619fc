#pragma once

#include <cstddef>
#include <string>

#include "gui/document/scenario_snapshot.h"

namespace rackwright::gui {

/// The path of the innermost value that stands at a byte of the text, or on whose line its key stands; the root
/// where there is none. The snapshot must be well formed.
std::string pathAt(const ScenarioSnapshot& scenario, std::size_t offset);

/// The place that a finding about this version is about, items by index: its path, or else what stands at its line and
/// column.
std::string placeOf(const ScenarioSnapshot& scenario, const Diagnostic& finding);

}  // namespace rackwright::gui
