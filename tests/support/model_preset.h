#pragma once

#include <string>
#include <vector>

#include "models/llm/model_shape.h"

namespace rackwright::test {

/// The preset `models/llm/presets/NAME.yaml`, read key by key; an unknown key or value throws.
llm::ModelShape model_preset(const std::string& name);

/// The names of all presets, sorted.
std::vector<std::string> model_preset_names();

}  // namespace rackwright::test
