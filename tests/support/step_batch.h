#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/cost/step_cost.h"

namespace rackwright::test {

/// A batch of decodes of these contexts.
struct Batch {
  std::vector<std::int32_t> contexts{};

  cost::StepShape shape() const {
    cost::StepShape step;
    step.decode_sequences = static_cast<std::int32_t>(contexts.size());
    step.decode_context_tokens = std::accumulate(contexts.begin(), contexts.end(), std::int64_t{0});
    step.decode_context_max = *std::max_element(contexts.begin(), contexts.end());
    step.decode_contexts = contexts;
    return step;
  }
  void grow(std::int32_t by) {
    for (std::int32_t& context : contexts) context += by;
  }
};

inline Batch batch(std::size_t sequences, std::int32_t context) { return {std::vector<std::int32_t>(sequences, context)}; }

}  // namespace rackwright::test
