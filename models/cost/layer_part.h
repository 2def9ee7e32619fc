#pragma once

#include <vector>

#include "models/cost/execution_spec.h"
#include "models/cost/operator_cost.h"
#include "models/llm/operator.h"

namespace rackwright::cost {

/// Of the operators of a step in order; an all-reduce belongs to what it follows, and the exchange between both sides
/// stands for all-to-alls.
Work sum_of(const std::vector<llm::Operator>& operators, const OperatorCostModel& model, LayerPart part);

}  // namespace rackwright::cost
