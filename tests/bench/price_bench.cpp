// Nanoseconds of StepCostModel::price and milliseconds to build its tables, for models of several kinds.
// Run it by hand from a Release build; it asserts nothing.
#include <chrono>
#include <cstdio>
#include <vector>

#include "models/cost/make_step_cost.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::cost;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const char* preset, int tensor) {
  StepCostInputs inputs;
  inputs.model = test::model_preset(preset);
  inputs.parallelism.tensor = tensor;
  inputs.device = test::h200();
  inputs.execution = vllm_v1_execution();
  Diagnostics findings;
  auto start = std::chrono::steady_clock::now();
  const auto model = make_step_cost(inputs, findings);
  if (!model) return;
  const double build_s = seconds_since(start);

  constexpr int rounds = 200'000;
  const std::vector<std::int32_t> contexts(64, 1000);
  const PrefillChunk chunks[] = {{512, 100, true}, {700, 0, true}};
  std::int64_t sum = 0;
  double per_call_s[2];
  for (int mixed = 0; mixed < 2; ++mixed) {
    start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) {
      StepShape step;
      step.decode_sequences = 64;
      step.decode_context_tokens = 64'000 + i;
      step.decode_context_max = 3000;
      if (model->needs_contexts()) step.decode_contexts = contexts;
      if (mixed == 1) step.prefill = chunks;
      sum += model->price(step, {}).duration.ps;
    }
    per_call_s[mixed] = seconds_since(start) / rounds;
  }
  std::printf("%-14s tp%d  build %6.1f ms  decode %5.0f ns  mixed %5.0f ns  (%llx)\n", preset, tensor, build_s * 1e3,
              per_call_s[0] * 1e9, per_call_s[1] * 1e9, static_cast<unsigned long long>(sum));
}

}  // namespace

int main() {
  measure("llama-3.1-8b", 1);
  measure("llama-3.1-70b", 8);
  measure("mixtral-8x7b", 8);
  measure("deepseek-v3", 8);
  measure("gpt-oss-120b", 8);
}
