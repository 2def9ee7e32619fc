#pragma once

#include <vector>

#include "models/cost/step_cost.h"
#include "models/llm/operator.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// The operators of one step on the device with the most to do, in the order of their lists: tokens, attention, sampled
/// rows. What a cost model sums; `model inspect` prints it. Data ranks share decodes evenly; each prompt chunk is listed.
std::vector<llm::Operator> step_operators(const llm::ShardedShape& sharded, const StepShape& step);

}  // namespace rackwright::cost
