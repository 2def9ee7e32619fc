#include "models/cost/execution_spec.h"

#include <algorithm>

namespace rackwright::cost {

ExecutionSpec vllm_v1_execution() {
  ExecutionSpec spec;
  spec.prefill = ExecutionMode::graph;
  spec.decode_sizes = {1, 2, 4};
  for (int size = 8; size <= 256; size += 8) spec.decode_sizes.push_back(size);
  for (int size = 272; size <= 512; size += 16) spec.decode_sizes.push_back(size);
  spec.mixed_sizes = spec.decode_sizes;
  return spec;
}

int padded(const std::vector<int>& sizes, int n) {
  const auto next = std::ranges::lower_bound(sizes, n);
  return next == sizes.end() ? 0 : *next;
}

}  // namespace rackwright::cost
