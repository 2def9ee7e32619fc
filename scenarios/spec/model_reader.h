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

}  // namespace rackwright::scenarios
