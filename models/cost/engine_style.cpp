#include "models/cost/engine_style.h"

#include <algorithm>

namespace rackwright::cost {
namespace {

constexpr double vllm_host_s = 700e-6;
constexpr double published_gap_s = 160e-6;

void add_sizes(std::vector<int>& sizes, int from, int step, int to) {
  for (int size = from; size <= to; size += step) sizes.push_back(size);
}

ExecutionSpec vllm(int max_sequences) {
  const int largest = std::min(2 * max_sequences, 512);
  ExecutionSpec spec;
  spec.prefill = ExecutionMode::graph;
  for (const int size : {1, 2, 4})
    if (size <= largest) spec.decode_sizes.push_back(size);
  add_sizes(spec.decode_sizes, 8, 8, std::min(largest, 248));
  add_sizes(spec.decode_sizes, 256, 16, largest);
  spec.mixed_sizes = spec.decode_sizes;
  spec.host_time_per_step_s = vllm_host_s;
  spec.host_provenance = Provenance::calibrated;
  return spec;
}

ExecutionSpec sglang(int devices) {
  ExecutionSpec spec;
  spec.decode_sizes = {1, 2, 4, 8, 12};
  add_sizes(spec.decode_sizes, 16, 8, 256);
  if (devices >= 4) add_sizes(spec.decode_sizes, 272, 16, 512);
  spec.host_time_per_step_s = published_gap_s;
  return spec;
}

ExecutionSpec tensorrt_llm() {
  ExecutionSpec spec;
  spec.decode_sizes = {1, 2, 4};
  add_sizes(spec.decode_sizes, 8, 8, 128);
  spec.host_time_per_step_s = published_gap_s;
  return spec;
}

}  // namespace

ExecutionSpec engine_execution(EngineStyle style, int max_sequences, int devices) {
  switch (style) {
    case EngineStyle::vllm: return vllm(max_sequences);
    case EngineStyle::sglang: return sglang(devices);
    case EngineStyle::tensorrt_llm: return tensorrt_llm();
  }
  return {};
}

}  // namespace rackwright::cost
