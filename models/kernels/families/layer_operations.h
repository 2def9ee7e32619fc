#pragma once

#include <memory>

#include "models/kernels/families/layer_operation.h"

namespace rackwright::kernels {

/// The parts of make_layer_operation that live in files of their own.
std::unique_ptr<Operation> make_router_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape);
std::unique_ptr<Operation> make_expert_move_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape);
std::unique_ptr<Operation> make_sampling_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape);

}  // namespace rackwright::kernels
