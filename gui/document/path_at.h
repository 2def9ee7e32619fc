#pragma once

#include <cstddef>
#include <string>

#include "gui/document/scenario_snapshot.h"

namespace rackwright::gui {

/// The path of the innermost value that stands at a byte of the text, or on whose line its key stands; the root
/// where there is none. The snapshot must be well formed.
std::string pathAt(const ScenarioSnapshot& scenario, std::size_t offset);

}  // namespace rackwright::gui
