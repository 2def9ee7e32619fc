#pragma once

#include <string_view>

#include "models/llm/model_shape.h"

namespace rackwright::v1 {
class Model;
}

namespace rackwright::scenarios {

class Findings;

/// The shape of a resolved model, read from its fields. Fields that a shape needs and the model lacks are findings at `path`.
llm::ModelShape model_shape(const v1::Model& model, std::string_view path, Findings& findings);

/// Changes of a model that was imported from a configuration: formats of weights and KV cache.
void apply_formats(const v1::Model& model, llm::ModelShape& shape);

/// Formats that a preset gives to single groups, and that the message laid over it overrides by naming one for all of them: they are
/// taken out of the preset. Groups that the message names beside it, and a preset's groups under no such message, stay.
void give_way_to_all(v1::Model& preset, const v1::Model& written);

}  // namespace rackwright::scenarios
