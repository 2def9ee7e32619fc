#include <numeric>
#include <random>

#include "models/cost/composed_step_cost.h"
#include "models/cost/engine_style.h"
#include "models/cost/make_step_cost.h"
#include "models/cost/roofline_cost.h"
#include "models/cost/step_operators.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"
#include "tests/support/step_batch.h"

using namespace rackwright;
using namespace rackwright::cost;
using test::Batch;
using test::batch;

namespace {

std::unique_ptr<StepCostModel> model_of(StepCostInputs inputs) {
  Diagnostics findings;
  auto model = make_step_cost(inputs, findings);
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(to_string(finding));
  REQUIRE(model);
  return model;
}

StepCostInputs inputs_of(const std::string& preset, const llm::Parallelism& parallelism = {}) {
  StepCostInputs inputs;
  inputs.model = test::model_preset(preset);
  inputs.parallelism = parallelism;
  inputs.device = test::h200();
  inputs.execution.max_sequences = 64;
  inputs.execution.max_tokens = 2048;
  inputs.execution.host_time_per_step_s = 1e-4;
  return inputs;
}

double share_sum(const StepCost& cost) { return std::accumulate(cost.provenance.begin(), cost.provenance.end(), 0.0); }
double part_sum(const StepCost& cost) {
  return cost.parts.sm_clock_s + cost.parts.memory_s + cost.parts.link_s + cost.parts.host_s;
}

}  // namespace

TEST_CASE("A step is the sum of its operators and the host") {
  const StepCostInputs inputs = inputs_of("llama-3.1-70b", {.tensor = 4});
  Diagnostics findings;
  const llm::ShardedShape sharded = llm::shard(inputs.model, inputs.parallelism, {}, "", findings);
  const RooflineOperatorCost operators(inputs.device, default_efficiencies(inputs.device), scale_up_spec("nvlink4", 450e9));
  const PrefillChunk chunk{.new_tokens = 333, .past_tokens = 50, .last = true};
  Batch running = batch(24, 777);
  StepShape step = running.shape();
  const bool with_prefill = GENERATE(false, true);
  if (with_prefill) step.prefill = {&chunk, 1};
  double seconds = 1e-4;
  for (const llm::Operator& op : step_operators(sharded, step)) seconds += op.count * operators.cost(op).seconds();

  const StepCost cost = model_of(inputs)->price(step, {});
  CHECK(cost.duration.seconds() == Approx(seconds).epsilon(1e-9));
  CHECK(part_sum(cost) == Approx(cost.duration.seconds()).epsilon(1e-6));
  CHECK(cost.parts.link_s > 0);
}

TEST_CASE("A walk through a stretch and a price at each of its steps agree to the picosecond") {
  const std::string preset = GENERATE("llama-3.1-8b", "gpt-oss-20b", "llama-4-scout", "deepseek-v2-lite", "gemma-4-26b-a4b");
  CAPTURE(preset);
  StepCostInputs inputs = inputs_of(preset);
  inputs.device.memory_bytes = 1e12;
  const auto model = model_of(inputs);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Batch running;
    for (std::size_t i = 0; i < 1 + random() % 40; ++i) running.contexts.push_back(static_cast<std::int32_t>(1 + random() % 9000));
    const StepCost stretch = model->price(running.shape(), {});
    REQUIRE(stretch.steps >= 1);
    for (std::int64_t k = 0; k < stretch.steps; ++k) {
      const StepCost step = model->price(running.shape(), {});
      REQUIRE(step.duration == stretch.duration + k * stretch.growth);
      running.grow(1);
    }
  }
}

TEST_CASE("Provenance follows a stretch: what a later step is priced with is the first one's and what grew") {
  // Serial host: it keeps its time. A host that a small step waits for: what the device gains the host loses.
  StepCostInputs inputs = inputs_of("llama-3.1-8b");
  const bool waits = GENERATE(false, true);
  if (waits) {
    inputs.execution.overlap = HostOverlap::overlapped;
    inputs.execution.host_time_per_step_s = 20e-3;
  }
  const auto model = model_of(inputs);
  Batch running = batch(16, 900);
  const StepCost first = model->price(running.shape(), {});
  REQUIRE(first.steps > 100);
  CHECK((first.growth.ps == 0) == waits);
  running.grow(100);
  const StepCost later = model->price(running.shape(), {});
  double grown_s = 0;
  for (std::size_t i = 0; i < first.provenance.size(); ++i) {
    grown_s += first.provenance_growth_s[i];
    CHECK(first.provenance[i] * first.duration.seconds() + 100 * first.provenance_growth_s[i] ==
          Approx(later.provenance[i] * later.duration.seconds()).margin(1e-8));
  }
  CHECK(grown_s == Approx(first.growth.seconds()).margin(1e-12));
  CHECK(later.provenance[static_cast<std::size_t>(Provenance::assumed)] != first.provenance[static_cast<std::size_t>(Provenance::assumed)]);
}

TEST_CASE("A stretch follows the exact cost of each of its steps") {
  // Growth is rounded to whole picoseconds once per step of age, so after 512 steps by less than a nanosecond.
  StepCostInputs inputs = inputs_of("deepseek-v2-lite");
  const auto model = model_of(inputs);
  Diagnostics findings;
  const llm::ShardedShape sharded = llm::shard(inputs.model, {}, {}, "", findings);
  const RooflineOperatorCost operators(inputs.device, default_efficiencies(inputs.device), std::nullopt);
  const std::int32_t context = GENERATE(1, 100, 430, 5000);
  const StepCost first = model->price(batch(3, context).shape(), {});
  for (std::int64_t k = 0; k < first.steps; k += 37) {
    double attention_s = 0;
    double attention_before_s = 0;
    for (const llm::LayerShape& layer : sharded.layers) {
      const auto now = llm::decode_attention(sharded, layer, 3, 3.0 * static_cast<double>(context + k));
      const auto before = llm::decode_attention(sharded, layer, 3, 3.0 * context);
      attention_s += now.count * operators.cost(now).seconds();
      attention_before_s += before.count * operators.cost(before).seconds();
    }
    const double exact = first.duration.seconds() + attention_s - attention_before_s;
    CHECK((first.duration + k * first.growth).seconds() == Approx(exact).margin(2e-9));
  }
}

TEST_CASE("Decode time grows linearly in context") {
  const auto model = model_of(inputs_of("llama-3.1-8b"));
  // 131,072 B of KV cache per token at 0.8 · 4.8 TB/s.
  const double per_token = 131072 / (0.8 * 4.8e12);
  const double at_1k = model->price(batch(16, 1000).shape(), {}).duration.seconds();
  const double at_9k = model->price(batch(16, 9000).shape(), {}).duration.seconds();
  CHECK(at_9k - at_1k == Approx(16 * 8000 * per_token).epsilon(1e-6));
  CHECK(model->price(batch(16, 1000).shape(), {}).growth.seconds() == Approx(16 * per_token).epsilon(1e-6));
}

TEST_CASE("Decode time hardly grows in batch until it is compute-bound") {
  StepCostInputs inputs = inputs_of("llama-3.1-8b");
  inputs.execution.max_sequences = 1024;
  const auto model = model_of(inputs);
  const auto seconds = [&](std::size_t n) { return model->price(batch(n, 1).shape(), {}).duration.seconds(); };
  CHECK(seconds(64) / seconds(1) < 1.1);
  CHECK(seconds(1024) / seconds(512) > 1.7);
}

TEST_CASE("A window bounds what a sequence costs") {
  // Beyond 128 tokens only the full half of the layers grows.
  const auto model = model_of(inputs_of("gpt-oss-20b"));
  const auto growth = [&](std::int32_t context) { return model->price(batch(4, context).shape(), {}).growth.seconds(); };
  CHECK(growth(500) / growth(50) == Approx(0.5).epsilon(1e-3));
  CHECK(model->price(batch(4, 100).shape(), {}).steps == 28);
  CHECK(model->needs_contexts());
  CHECK_FALSE(model_of(inputs_of("llama-3.1-8b"))->needs_contexts());
}

TEST_CASE("Padding to captured sizes costs what the padded size costs, and beyond the largest a step is eager") {
  StepCostInputs inputs = inputs_of("llama-3.1-8b");
  inputs.execution.decode_sizes = {8, 32};
  inputs.execution.launch_s = 0;
  const auto padded = model_of(inputs);
  inputs.execution.decode_sizes.clear();
  const auto exact = model_of(inputs);
  // The LM head and attention see the real rows; all else 32 tokens.
  CHECK(padded->price(batch(9, 100).shape(), {}).duration > exact->price(batch(9, 100).shape(), {}).duration);
  CHECK(padded->price(batch(33, 100).shape(), {}).duration == exact->price(batch(33, 100).shape(), {}).duration);
  CHECK(padded->price(batch(32, 100).shape(), {}).duration == exact->price(batch(32, 100).shape(), {}).duration);
}

TEST_CASE("An eager step lasts at least its launches") {
  StepCostInputs inputs = inputs_of("qwen3-0.6b");
  inputs.execution.decode = ExecutionMode::eager;
  inputs.execution.launch_s = 20e-6;
  inputs.execution.host_time_per_step_s = 0;
  const auto model = model_of(inputs);
  // 28 layers of 11 kernels (two norms, QKV, norm of heads, rope, two of attention, output, gate-up, activation, down) and
  // embedding, final norm, LM head and sampling.
  CHECK(model->price(batch(1, 10).shape(), {}).duration.seconds() == Approx((28 * 11 + 4) * 20e-6));
  CHECK(model->price(batch(1, 10).shape(), {}).growth.ps == 0);
}

TEST_CASE("Host time adds to a step, or hides behind it") {
  StepCostInputs inputs = inputs_of("llama-3.1-8b");
  inputs.execution.host_time_per_step_s = 0;
  const double device = model_of(inputs)->price(batch(8, 100).shape(), {}).duration.seconds();
  inputs.execution.host_time_per_step_s = 2e-3;
  CHECK(model_of(inputs)->price(batch(8, 100).shape(), {}).duration.seconds() == Approx(device + 2e-3));
  inputs.execution.overlap = HostOverlap::overlapped;
  CHECK(model_of(inputs)->price(batch(8, 100).shape(), {}).duration.seconds() == Approx(device));
  inputs.execution.host_time_per_step_s = 2 * device;
  const StepCost bound = model_of(inputs)->price(batch(8, 100).shape(), {});
  CHECK(bound.duration.seconds() == Approx(2 * device));
  CHECK(bound.growth.ps == 0);
  CHECK(bound.parts.host_s == Approx(device));
  CHECK(bound.provenance[static_cast<std::size_t>(Provenance::assumed)] == Approx(0.5).epsilon(1e-5));
}

TEST_CASE("A lower clock stretches the clock-bound part alone") {
  const auto model = model_of(inputs_of("llama-3.1-8b"));
  const StepCost full = model->price(batch(8, 1000).shape(), {});
  const StepCost half = model->price(batch(8, 1000).shape(), {.sm_clock = 0.5});
  CHECK(half.duration.seconds() - full.duration.seconds() == Approx(full.parts.sm_clock_s).epsilon(1e-6));
  CHECK(half.parts.memory_s == full.parts.memory_s);
  CHECK(half.power_mw < full.power_mw);
  const StepCost fewer = model->price(batch(8, 1000).shape(), {.sm_share = 0.5});
  CHECK(fewer.duration == half.duration);
}

TEST_CASE("A step never gets slower with more bandwidth, arithmetic or clock") {
  const std::string preset = GENERATE("llama-3.1-8b", "mixtral-8x7b", "deepseek-v2-lite", "gpt-oss-20b");
  StepCostInputs inputs = inputs_of(preset, {.tensor = 2});
  const auto before = model_of(inputs);
  inputs.device.memory_bytes_per_s = 6e12;
  const auto wider = model_of(inputs);
  inputs.device.peak.bf16_flop_per_s = 1500e12;
  inputs.device.scale_up_bytes_per_s = 900e9;
  const auto faster = model_of(inputs);
  const PrefillChunk chunk{.new_tokens = 700, .past_tokens = 300, .last = true};
  for (StepShape step : {batch(1, 10).shape(), batch(64, 4000).shape()}) {
    step.decode_contexts = {};
    for (int with_prefill = 0; with_prefill < 2; ++with_prefill) {
      if (with_prefill == 1) step.prefill = {&chunk, 1};
      CHECK(wider->price(step, {}).duration <= before->price(step, {}).duration);
      CHECK(faster->price(step, {}).duration <= wider->price(step, {}).duration);
      CHECK(before->price(step, {}).duration <= before->price(step, {.sm_clock = 0.9}).duration);
    }
  }
}

TEST_CASE("Provenance shares sum to one, whatever the step") {
  StepCostInputs inputs = inputs_of("mixtral-8x7b", {.tensor = 2});
  inputs.device_provenance = GENERATE(Provenance::datasheet, Provenance::assumed);
  const auto model = model_of(inputs);
  const std::vector<PrefillChunk> chunks{{512, 0, true}, {256, 1024, false}};
  const Batch few = batch(5, 300);
  const Batch one = batch(1, 1);
  const Batch many = batch(64, 8000);
  StepShape mixed = few.shape();
  mixed.prefill = chunks;
  StepShape prefill;
  prefill.prefill = chunks;
  for (const StepShape& step : {one.shape(), many.shape(), mixed, prefill}) {
    const StepCost cost = model->price(step, {});
    CHECK(share_sum(cost) == Approx(1).epsilon(1e-6));
    CHECK(part_sum(cost) == Approx(cost.duration.seconds()).epsilon(1e-6));
    CHECK(cost.provenance[static_cast<std::size_t>(inputs.device_provenance)] > 0.5);
  }
}

TEST_CASE("A step with prefill is one step, and costs more the longer its past") {
  const auto model = model_of(inputs_of("llama-3.1-8b"));
  const auto cost = [&](std::int32_t past) {
    const PrefillChunk chunk{.new_tokens = 1024, .past_tokens = past, .last = true};
    StepShape step;
    step.prefill = {&chunk, 1};
    return model->price(step, {});
  };
  CHECK(cost(0).steps == 1);
  CHECK(cost(0).growth.ps == 0);
  // 4·32·128 flops a pair, 32 layers, at 0.6 of the peak.
  CHECK(cost(8192).duration.seconds() - cost(4096).duration.seconds() ==
        Approx(32 * 4.0 * 32 * 128 * 1024 * 4096 / (0.6 * 989e12)).epsilon(1e-6));
}

TEST_CASE("Prefill of 8,192 tokens of Llama-3.1-8B on an H200 takes the flops over the achieved rate") {
  // 2 · 7.5e9 · 8192 at 0.80 of 989 TFLOP/s is 155 ms; attention adds 4·32·128·32·8192²/2 at 0.6, 30 ms.
  StepCostInputs inputs = inputs_of("llama-3.1-8b");
  inputs.execution.max_tokens = 8192;
  const PrefillChunk chunk{.new_tokens = 8192, .past_tokens = 0, .last = true};
  StepShape step;
  step.prefill = {&chunk, 1};
  CHECK(model_of(inputs)->price(step, {}).duration.seconds() == Approx(0.185).epsilon(0.1));
}

TEST_CASE("An empty step costs the host's time, and an idle instance draws idle power") {
  const auto model = model_of(inputs_of("llama-3.1-70b", {.tensor = 4}));
  CHECK(model->price({}, {}).duration == sim_time(1e-4));
  CHECK(model->idle_power_mw() == 4 * 115'000);
  const StepCost busy = model->price(batch(32, 2000).shape(), {});
  CHECK(busy.power_mw > model->idle_power_mw());
  CHECK(busy.power_mw <= 4 * 700'000);
}

TEST_CASE("Pipeline stages last together what the whole model does, and each draws power for its own part") {
  StepCostInputs inputs = inputs_of("llama-3.1-70b", {.tensor = 2});
  const auto one = model_of(inputs);
  inputs.parallelism.pipeline = 2;
  const auto two = model_of(inputs);
  const double send = two->price(batch(8, 500).shape(), {}).duration.seconds() - one->price(batch(8, 500).shape(), {}).duration.seconds();
  CHECK(send > 0);
  CHECK(send < 20e-6);
  const auto above_idle = [](const StepCostModel& model) { return model.price(batch(8, 500).shape(), {}).power_mw - model.idle_power_mw(); };
  CHECK(static_cast<double>(above_idle(*two)) == Approx(static_cast<double>(above_idle(*one))).epsilon(0.01));
}

TEST_CASE("What a cost cannot be computed from is named") {
  Diagnostics findings;
  StepCostInputs inputs = inputs_of("llama-3.1-70b", {.tensor = 16});
  inputs.device.peak.bf16_flop_per_s.reset();
  CHECK_FALSE(make_step_cost(inputs, findings));
  CHECK(findings.error_count() == 2);  // The domain of 8, and the rate.
}

TEST_CASE("A device whose power is not known takes as long as ever, and no power") {
  StepCostInputs inputs = inputs_of("llama-3.1-8b");
  const StepCost known = model_of(inputs)->price(batch(16, 900).shape(), {});
  inputs.device.idle_power_w.reset();
  const auto model = model_of(inputs);
  const StepCost unknown = model->price(batch(16, 900).shape(), {});
  CHECK(unknown.duration == known.duration);
  CHECK(known.power_mw > 0);
  CHECK(unknown.power_mw == 0);
  CHECK(model->idle_power_mw() == 0);
  CHECK_FALSE(model->clock_control());
}

TEST_CASE("An engine captures what its own options do, and leaves the host its time") {
  // vLLM: up to twice the sequences and 512 tokens, every 8 below 256 and every 16 from there.
  const ExecutionSpec small = engine_execution(EngineStyle::vllm, 3, 1);
  CHECK(small.decode_sizes == std::vector{1, 2, 4});
  const ExecutionSpec vllm = engine_execution(EngineStyle::vllm, 128, 2);
  CHECK(vllm.decode_sizes.size() == 3 + 31 + 1);
  CHECK(vllm.decode_sizes.back() == 256);
  CHECK(vllm.mixed_sizes == vllm.decode_sizes);
  CHECK(vllm.prefill == ExecutionMode::graph);
  CHECK(vllm.host_time_per_step_s == 700e-6);
  CHECK(engine_execution(EngineStyle::vllm, 1024, 1).decode_sizes.back() == 512);
  CHECK(engine_execution(EngineStyle::vllm, 1024, 1).decode_sizes == vllm_v1_execution().decode_sizes);
  const ExecutionSpec sglang = engine_execution(EngineStyle::sglang, 1024, 4);
  CHECK(padded(sglang.decode_sizes, 9) == 12);
  CHECK(padded(sglang.decode_sizes, 257) == 272);
  CHECK(padded(engine_execution(EngineStyle::sglang, 1024, 2).decode_sizes, 257) == 0);
  CHECK(sglang.prefill == ExecutionMode::eager);
  CHECK(sglang.host_time_per_step_s == 160e-6);
  CHECK(engine_execution(EngineStyle::tensorrt_llm, 1024, 1).decode_sizes.back() == 128);
}
