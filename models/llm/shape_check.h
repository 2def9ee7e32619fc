#pragma once

#include <string>

#include "models/base/diagnostic.h"
#include "models/llm/model_shape.h"

namespace rackwright::llm {

/// Reports every way in which a shape is not one of a model: missing or absurd dimensions, heads that cannot share keys,
/// more experts per token than there are, a window where there is none to be. True when there is none.
/// What passes is safe to count with: no product of its dimensions leaves 64 bits, or 32 where one dimension of an operator.
bool check_model_shape(const ModelShape& model, const Location& where, const std::string& path, Diagnostics& diagnostics);

}  // namespace rackwright::llm
