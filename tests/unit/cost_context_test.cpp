#include <algorithm>
#include <cmath>

#include "models/cost/context_parallel.h"
#include "models/cost/make_step_cost.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::cost;

namespace {

/// Attention computes 1 us a pair of a query and a key in 10^9, and a byte takes 1 ns in a gather.
class PlainCosts final : public OperatorCostModel {
 public:
  OperatorCost cost(const llm::Operator& op) const override {
    OperatorCost cost;
    if (op.kind == llm::OperatorKind::prefill_attention) cost.parts.sm_clock_s = op.flops * 1e-12;
    if (op.kind == llm::OperatorKind::all_gather) cost.parts.link_s = (op.ranks - 1.0) / op.ranks * op.message_bytes * 1e-9;
    return cost;
  }
  std::vector<double> decode_knots(const llm::Operator&, const llm::Operator&) const override { return {1, 2}; }
};

llm::ShardedShape split(const std::string& preset, int context) {
  Diagnostics findings;
  llm::ShardedShape sharded = llm::shard(test::model_preset(preset), {.context = context}, {}, "", findings);
  REQUIRE_FALSE(findings.has_errors());
  return sharded;
}

StepCostInputs seventy_billion(int context) {
  StepCostInputs inputs;
  inputs.model = test::model_preset("llama-3.1-70b");
  inputs.parallelism = {.context = context};
  inputs.device = test::h200();
  inputs.execution.max_sequences = 4;
  inputs.execution.max_tokens = 16;
  return inputs;
}

double prompt_s(const StepCostInputs& inputs, int tokens) {
  Diagnostics findings;
  const PrefillChunk chunk{.new_tokens = tokens, .last = true};
  StepShape step;
  step.prefill = {&chunk, 1};
  return make_step_cost(inputs, findings)->price(step, {}).duration.seconds();
}

}  // namespace

TEST_CASE("In a ring, blocks that come before the last one is used up cost nothing, and of later ones the difference stays") {
  const llm::ShardedShape sharded = split("llama-3.1-8b", 4);
  const llm::LayerShape& layer = sharded.layers[0];
  const PlainCosts costs;
  // t_attention = pairs / 4; three of its four rounds hide the gather of 3/4 of n rows of 4,096 B (8 heads of 128, twice, bf16).
  const auto exposed = [](double n) {
    const double attention_s = 4 * 128 * 32 * n * (n + 1) / 2 * 1e-12 / 4;
    return std::max(0.0, 0.75 * n * 4096 * 1e-9 - 0.75 * attention_s);
  };
  for (const int tokens : {1000, 4000, 100'000}) {
    const OperatorCost ring = shared_prefill_attention(costs, sharded, layer, tokens, 0, ContextExchange::ring);
    CHECK(ring.parts.link_s == Approx(exposed(tokens)));
    const OperatorCost gather = shared_prefill_attention(costs, sharded, layer, tokens, 0, ContextExchange::all_gather);
    CHECK(gather.parts.link_s == Approx(0.75 * tokens * 4096 * 1e-9));
    CHECK(gather.parts.sm_clock_s == Approx(costs.cost(llm::prefill_attention(sharded, layer, tokens, 0)).parts.sm_clock_s / 4));
  }
  CHECK(exposed(1000) > 0);
  CHECK(exposed(100'000) == 0);
}

TEST_CASE("Layers with a window pass no more keys than it holds") {
  const llm::ShardedShape sharded = split("gpt-oss-120b", 8);
  const auto windowed = std::ranges::find_if(sharded.layers, [](const llm::LayerShape& layer) { return layer.attention.window_tokens > 0; });
  REQUIRE(windowed != sharded.layers.end());
  const double row = llm::kv_bytes_per_token(windowed->attention, sharded.model.kv);
  const OperatorCost cost = shared_prefill_attention(PlainCosts{}, sharded, *windowed, 65'536, 0, ContextExchange::all_gather);
  CHECK(cost.parts.link_s == Approx(windowed->attention.window_tokens * row * 1e-9));
}

TEST_CASE("A prompt of 131,072 tokens takes a C-th of its time on C devices of one domain, and what the exchange leaves exposed") {
  const double alone = prompt_s(seventy_billion(1), 131'072);
  for (const int context : {2, 4, 8}) {
    // Everything a token costs and the attention divide; at this length a round of the ring hides its blocks. The LM head's one row does not divide.
    CHECK(prompt_s(seventy_billion(context), 131'072) * context / alone == Approx(1).epsilon(0.01));
  }
  StepCostInputs gathered = seventy_billion(8);
  gathered.execution.context_exchange = ContextExchange::all_gather;
  // 80 layers gather 131,072 rows of 4,096 B.
  llm::Operator op{.kind = llm::OperatorKind::all_gather};
  op.message_bytes = 131'072.0 * 4096;
  op.ranks = 8;
  const double gather_s = 80 * collective_seconds(scale_up_spec("nvlink4", 450e9), op);
  CHECK(prompt_s(gathered, 131'072) - prompt_s(seventy_billion(8), 131'072) == Approx(gather_s).epsilon(1e-6));
}

TEST_CASE("Decodes read a C-th of their contexts on each device, and pay for two exchanges a layer") {
  Diagnostics findings;
  StepShape step;
  step.decode_sequences = 4;
  step.decode_context_tokens = 4 * 100'000;
  step.decode_context_max = 100'000;
  const auto at = [&](int context) { return make_step_cost(seventy_billion(context), findings)->price(step, {}); };
  const StepCost one = at(1);
  const StepCost eight = at(8);
  CHECK(static_cast<double>(eight.growth.ps) == Approx(static_cast<double>(one.growth.ps) / 8).epsilon(1e-3));
  CHECK(one.parts.link_s == 0);
  CHECK(eight.parts.link_s > 160 * 5e-6);
  CHECK(eight.duration < one.duration);
}

TEST_CASE("What does not go with a split prompt is refused") {
  Diagnostics findings;
  llm::shard(test::model_preset("deepseek-v3"), {.data = 4, .expert = 4, .context = 2}, {}, "", findings);
  CHECK(findings.has_errors());
}
