#include "models/cost/attention_ffn_step_cost.h"
#include "models/cost/make_step_cost.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"
#include "tests/support/step_batch.h"

using namespace rackwright;
using namespace rackwright::cost;
using test::Batch;
using test::batch;

namespace {

constexpr double host_s = 150e-6;

StepCostInputs inputs_of(const std::string& preset, int tensor) {
  StepCostInputs inputs;
  inputs.model = test::model_preset(preset);
  inputs.parallelism.tensor = tensor;
  inputs.device = test::h200();
  inputs.device.memory_bytes = 1e12;
  inputs.execution.max_sequences = 64;
  inputs.execution.max_tokens = 2048;
  inputs.execution.host_time_per_step_s = host_s;
  return inputs;
}

std::shared_ptr<StepCostModel> model_of(const StepCostInputs& inputs) {
  Diagnostics findings;
  std::shared_ptr<StepCostModel> model = make_step_cost(inputs, findings);
  REQUIRE(model);
  return model;
}

/// Attention and feed-forward as two roles of the same devices, in `micro_batches`.
AttentionFfnStepCost split(StepCostInputs inputs, int micro_batches) {
  AttentionFfnSpec spec;
  spec.roles = AttentionFfnSpec::Roles::serial;
  spec.layers = llm::layer_count(inputs.model);
  spec.micro_batches = micro_batches;
  spec.host_time_per_step_s = host_s;
  inputs.execution.host_time_per_step_s = 0;
  inputs.execution.part = LayerPart::attention;
  auto attention = model_of(inputs);
  inputs.execution.part = LayerPart::feed_forward;
  return {std::move(attention), model_of(inputs), spec};
}

}  // namespace

TEST_CASE("One micro-batch, one to one, both roles on the same devices: a step is that of co-location") {
  const auto [preset, tensor] = GENERATE(table<std::string, int>({{"llama-3.1-8b", 1}, {"llama-3.1-70b", 4}, {"qwen3-30b-a3b", 1}, {"deepseek-v2-lite", 1}}));
  CAPTURE(preset);
  const StepCostInputs inputs = inputs_of(preset, tensor);
  const auto together = model_of(inputs);
  const AttentionFfnStepCost apart = split(inputs, 1);
  const PrefillChunk chunks[] = {{.new_tokens = 333, .past_tokens = 50, .last = true}, {.new_tokens = 700, .past_tokens = 0, .last = false}};
  for (const int sequences : {1, 7, 64}) {
    Batch running = batch(static_cast<std::size_t>(sequences), 1777);
    StepShape step = running.shape();
    for (const bool with_prefill : {false, true}) {
      if (with_prefill) step.prefill = chunks;
      const StepCost one = together->price(step, {});
      const StepCost other = apart.price(step, {});
      // Three sums are rounded to picoseconds instead of one.
      CHECK(std::abs((one.duration - other.duration).ps) <= 2);
      CHECK(one.growth == other.growth);
    }
  }
}

TEST_CASE("More micro-batches on the same devices read the weights again, and are slower while weights bind") {
  const StepCostInputs inputs = inputs_of("llama-3.1-8b", 1);
  Batch running = batch(32, 500);
  const StepCost one = split(inputs, 1).price(running.shape(), {});
  const StepCost two = split(inputs, 2).price(running.shape(), {});
  const StepCost three = split(inputs, 3).price(running.shape(), {});
  CHECK(two.duration.seconds() > 1.7 * one.duration.seconds());
  CHECK(three.duration > two.duration);
}
