#include <cmath>
#include <random>
#include <string>

#include "models/cost/dataflow_plan.h"
#include "models/cost/dataflow_step_cost.h"
#include "models/cost/make_step_cost.h"
#include "tests/support/catch.h"
#include "tests/support/model_preset.h"
#include "tests/support/step_batch.h"

using namespace rackwright;
using namespace rackwright::cost;
using test::Batch;
using test::batch;

namespace {

/// Groq LPU v1 (Linley Microprocessor Report 2020, SHIP), without the fitted synchronisation.
hardware::DeviceSpec lpu() {
  hardware::DeviceSpec device;
  device.name = "lpu";
  device.device_class = hardware::DeviceClass::sram;
  device.peak.bf16_flop_per_s = 188e12;
  device.peak.int8_op_per_s = 750e12;
  device.sram_bytes = 230e6;
  device.sram_bytes_per_s = 80e12;
  device.scale_up_bytes_per_s = 235e9;
  device.hop_s = 300e-9;
  device.idle_power_w = 100;
  device.limit_power_w = 300;
  return device;
}

hardware::DeviceSpec wafer() {
  hardware::DeviceSpec device = lpu();
  device.name = "wafer";
  device.sram_bytes = 44e9;
  device.mesh_cores = 900'000;
  return device;
}

std::optional<DataflowPlan> plan_of(const std::string& preset, const hardware::DeviceSpec& device, const DataflowPlacement& placement,
                                    Diagnostics& findings) {
  const MemorySpec memory{.utilization = 1, .max_sequences = 256};
  return dataflow_plan(test::model_preset(preset), device, placement, memory, {}, "deployment[0]", findings);
}

DataflowPlan plan_of(const std::string& preset, const hardware::DeviceSpec& device, const DataflowPlacement& placement) {
  Diagnostics findings;
  const auto plan = plan_of(preset, device, placement, findings);
  for (const Diagnostic& finding : findings.all()) INFO(finding.message);
  REQUIRE(plan.has_value());
  return *plan;
}

std::unique_ptr<StepCostModel> model_of(const std::string& preset, const hardware::DeviceSpec& device, const DataflowPlan& plan) {
  StepCostInputs inputs;
  inputs.model = test::model_preset(preset);
  inputs.device = device;
  inputs.dataflow = plan;
  Diagnostics findings;
  auto model = make_step_cost(inputs, findings);
  REQUIRE(model != nullptr);
  return model;
}

double part_sum(const StepCost& cost) { return cost.parts.sm_clock_s + cost.parts.memory_s + cost.parts.link_s + cost.parts.host_s; }

}  // namespace

TEST_CASE("gpt-oss-120B leaves 69.7 GB of the memory of 576 LPU, as published") {
  // 576 · 230 MB = 132.48 GB; 62.8 GB of compiled weights are published; 132.48 − 62.8 = 69.68.
  const DataflowPlan plan = plan_of("gpt-oss-120b", lpu(), {.devices = 576, .weight_bytes = 62.8e9});
  CHECK(plan.on_chip_bytes == Approx(132.48e9));
  CHECK(plan.on_chip_bytes - plan.weight_bytes == Approx(69.7e9).epsilon(0.001));
  CHECK(plan.kv_on_chip_bytes == Approx(plan.on_chip_bytes - plan.weight_bytes - plan.activation_bytes));
  CHECK(plan.stages == 36);  // One a layer: TP16 x PP36.
  CHECK(plan.stage_devices == 16);
}

TEST_CASE("The least devices for a model's weights are those whose memory holds them") {
  // 70B in bf16: 141 GB over 44 GB a wafer is 3.2; 405B: 811.7 GB over 44 is 18.4.
  CHECK(plan_of("llama-3.1-70b", wafer(), {.devices = 4}).devices_for_weights == 4);
  CHECK(plan_of("llama-3.1-405b", wafer(), {.devices = 19}).devices_for_weights == 19);
  Diagnostics findings;
  CHECK_FALSE(plan_of("llama-3.1-70b", wafer(), {.devices = 3}, findings).has_value());
  REQUIRE(findings.all().size() == 1);
  CHECK(findings.all()[0].message == "3 wafer with 132 GB of on-chip memory cannot hold the weights: 141.1 GB");
  CHECK(findings.all()[0].hint == "the weights alone take 4 of them");
}

TEST_CASE("The diameter of LPUs is that of SHIP: three hops for 72, five for 136") {
  CHECK(dataflow_diameter(1) == 0);
  CHECK(dataflow_diameter(8) == 1);
  CHECK(dataflow_diameter(72) == 3);
  CHECK(dataflow_diameter(136) == 5);
}

TEST_CASE("Tokens in flight cost nothing until the pipeline is full, and then the slowest stage sets the pace") {
  // 80 layers on 80 stages: step = max(p, G · p / 80), G beats of b = ceil(N / 80) sequences.
  const DataflowPlan plan = plan_of("llama-3.1-70b", lpu(), {.devices = 800});
  REQUIRE(plan.stages == 80);
  const auto model = model_of("llama-3.1-70b", lpu(), plan);
  const SimTime alone = model->price(batch(1, 100).shape(), {}).duration;
  CHECK(model->price(batch(80, 100).shape(), {}).duration == alone);
  const SimTime beats_of_two = model->price(batch(81, 100).shape(), {}).duration;
  CHECK(beats_of_two > alone);
  CHECK(model->price(batch(160, 100).shape(), {}).duration == beats_of_two);

  // 80 layers on 32 stages: the slowest has three layers, so 32 beats take 32 · 3 / 80 = 1.2 passes.
  const DataflowPlan uneven = plan_of("llama-3.1-70b", lpu(), {.devices = 800, .stages = 32});
  CHECK(uneven.slowest_stage() == Approx(3.0 / 80));
  const auto slower = model_of("llama-3.1-70b", lpu(), uneven);
  const double pass_s = slower->price(batch(1, 100).shape(), {}).duration.seconds();
  CHECK(slower->price(batch(26, 100).shape(), {}).duration.seconds() == Approx(pass_s));
  CHECK(slower->price(batch(32, 100).shape(), {}).duration.seconds() == Approx(1.2 * pass_s));
}

TEST_CASE("Every layer of a dense model synchronises twice, with experts three times") {
  const double sync_s = 19e-6;
  hardware::DeviceSpec device = lpu();
  const auto pass_s = [&](const std::string& preset, const hardware::DeviceSpec& of) {
    return model_of(preset, of, plan_of(preset, of, {.devices = 1200}))->price(batch(1, 10).shape(), {}).duration.seconds();
  };
  const double dense_s = pass_s("llama-3.1-70b", device);
  const double experts_s = pass_s("mixtral-8x7b", device);
  device.sync_s = sync_s;
  CHECK(pass_s("llama-3.1-70b", device) - dense_s == Approx(2 * 80 * sync_s));
  CHECK(pass_s("mixtral-8x7b", device) - experts_s == Approx(3 * 32 * sync_s));
}

TEST_CASE("A walk through a stretch of a dataflow machine and a price at each of its steps agree to the picosecond") {
  const std::string preset = GENERATE("llama-3.1-8b", "gpt-oss-20b", "deepseek-v2-lite");
  hardware::DeviceSpec device = lpu();
  const bool spills = GENERATE(false, true);
  device.memory_bytes = 32e9;
  device.memory_bytes_per_s = 50e9;
  CAPTURE(preset, spills);
  DataflowPlan plan = plan_of(preset, device, {.devices = 300});
  if (spills) plan.kv_on_chip_bytes = 20'000 * plan.kv_bytes_per_token;
  const auto model = model_of(preset, device, plan);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Batch running;
    for (std::size_t i = 0; i < 1 + random() % 60; ++i) running.contexts.push_back(static_cast<std::int32_t>(1 + random() % 3000));
    const StepCost stretch = model->price(running.shape(), {});
    REQUIRE(stretch.steps >= 1);
    CHECK(part_sum(stretch) == Approx(stretch.duration.seconds()).epsilon(1e-6));
    CHECK(stretch.power_mw >= model->idle_power_mw());
    CHECK(stretch.power_mw <= 300 * 300'000);
    for (std::int64_t k = 0; k < stretch.steps; ++k) {
      const StepCost step = model->price(running.shape(), {});
      REQUIRE(step.duration == stretch.duration + k * stretch.growth);
      running.grow(1);
    }
  }
}

TEST_CASE("KV that does not fit on the chips is read from off chip by every pass") {
  hardware::DeviceSpec device = lpu();
  device.memory_bytes = 32e9;
  device.memory_bytes_per_s = 50e9;
  DataflowPlan plan = plan_of("llama-3.1-8b", device, {.devices = 320});  // 32 stages of 10.
  const auto all_on_chip = model_of("llama-3.1-8b", device, plan);
  plan.kv_on_chip_bytes = 1000 * plan.kv_bytes_per_token;
  const auto half_off_chip = model_of("llama-3.1-8b", device, plan);
  CHECK(half_off_chip->price(batch(1, 1000).shape(), {}).duration == all_on_chip->price(batch(1, 1000).shape(), {}).duration);
  // Of 2,000 tokens, 1,000 lie off chip: 131 MB over the ten devices of a stage at 50 instead of 80,000 GB/s.
  const double more_s = 1000 * plan.kv_bytes_per_token / 10 * (1 / 50e9 - 1 / 80e12);
  const double difference_s = half_off_chip->price(batch(1, 2000).shape(), {}).duration.seconds() -
                              all_on_chip->price(batch(1, 2000).shape(), {}).duration.seconds();
  CHECK(difference_s == Approx(more_s));
}

TEST_CASE("A prompt passes in beats: the first fills the pipeline, the others follow at the pace of the slowest stage") {
  const DataflowPlan plan = plan_of("llama-3.1-70b", lpu(), {.devices = 800});
  const auto model = model_of("llama-3.1-70b", lpu(), plan);
  const auto prompt_s = [&](std::int32_t tokens) {
    const PrefillChunk chunk{.new_tokens = tokens, .past_tokens = 0, .last = true};
    StepShape step;
    step.prefill = {&chunk, 1};
    const StepCost cost = model->price(step, {});
    CHECK(cost.steps == 1);
    CHECK(part_sum(cost) == Approx(cost.duration.seconds()).epsilon(1e-6));
    return cost.duration.seconds();
  };
  // One token is one beat: the pass of a decode without context.
  CHECK(prompt_s(1) == Approx(model->price(batch(1, 1).shape(), {}).duration.seconds()).epsilon(0.001));
  // Long prompts are bound by arithmetic: 2 · 69.5e9 flops a token over 800 · 188e12, within what filling adds.
  const double arithmetic_s = 8192 * 2 * 69.5e9 / (800 * 188e12);
  CHECK(prompt_s(8192) > arithmetic_s);
  CHECK(prompt_s(8192) < 3 * arithmetic_s);
}

TEST_CASE("A prompt on a wafer passes one layer after another on its own region: operations over rate, and N shifts a product") {
  hardware::DeviceSpec device = wafer();
  device.hop_s = 0;
  device.product_flop_per_s = 400e12;
  const auto prompt_s = [&](const hardware::DeviceSpec& of, int side) {
    const DataflowPlan plan = plan_of("llama-3.1-8b", of, {.devices = 1, .prompt_region_side = side, .region_side = 300});
    const PrefillChunk chunk{.new_tokens = 2048, .past_tokens = 0, .last = false};
    StepShape step;
    step.prefill = {&chunk, 1};
    return model_of("llama-3.1-8b", of, plan)->price(step, {}).duration.seconds();
  };
  // 6.98e9 weights of the layers, two operations each, and 32 layers of 4 · 4096 · 2048² / 2 in attention; a quarter of the cores.
  const double flops = 2048 * 2 * 6.98e9 + 32 * 2.0 * 4096 * 2048 * 2048;
  CHECK(prompt_s(device, 474) == Approx(flops / (400e12 * 474 * 474 / 900'000)).epsilon(0.01));
  hardware::DeviceSpec shifting = device;
  shifting.shift_s = 1e-6;
  // 32 layers of four products and two in attention, 600 shifts each.
  CHECK(prompt_s(shifting, 600) - prompt_s(device, 600) == Approx(32 * 6 * 600e-6).epsilon(1e-6));
  // r = (2 A / B)^(1/3) for 2,048 tokens and 7.505e9 parameters that a token uses, in steps of 20.
  const double a = 2.0 * 2048 * 7.505e9 * 900'000 / 400e12;
  const double b = 32 * 6 * 1e-6;
  CHECK(default_prompt_region_side(test::model_preset("llama-3.1-8b"), shifting) == Approx(std::cbrt(2 * a / b)).margin(10));
}

TEST_CASE("Decode attention reads KV at its own share of the bandwidth where the device has one") {
  hardware::DeviceSpec device = lpu();
  device.sram_bytes = 520e6;
  device.memory_bytes = 64e9;
  device.memory_bytes_per_s = 1.8e12;
  const DataflowPlan plan = plan_of("llama-3.1-8b", device, {.devices = 8});
  const auto kv_s = [&](const hardware::DeviceSpec& of) {
    const auto model = model_of("llama-3.1-8b", of, plan);
    return (model->price(batch(1, 4001).shape(), {}).duration - model->price(batch(1, 1).shape(), {}).duration).seconds();
  };
  // 131,072 bytes a token.
  CHECK(kv_s(device) == Approx(4000 * 131'072 / (8 * 1.8e12)).epsilon(0.001));
  device.achieved_attention_fraction = 0.1;
  CHECK(kv_s(device) == Approx(4000 * 131'072 / (0.1 * 8 * 1.8e12)).epsilon(0.001));
}

TEST_CASE("Weights that no chip memory holds are streamed, and one stage uses the bandwidth of all devices") {
  hardware::DeviceSpec device = lpu();
  device.sram_bytes = 520e6;
  device.memory_bytes = 64e9;
  device.memory_bytes_per_s = 1.8e12;
  device.achieved_memory_fraction = 0.75;
  const DataflowPlan plan = plan_of("llama-3.1-8b", device, {.devices = 8});
  CHECK(plan.weights == WeightTier::off_chip);
  CHECK(plan.stages == 1);
  // 7.50e9 weights of two bytes, the embedding not read, over 0.75 · 8 · 1.8 TB/s.
  const StepCost step = model_of("llama-3.1-8b", device, plan)->price(batch(1, 1).shape(), {});
  CHECK(step.parts.memory_s == Approx(2 * 7.505e9 / (0.75 * 8 * 1.8e12)).epsilon(0.001));
}

TEST_CASE("The feed-forward side of a micro-batch passes in one beat, and synchronises once a dense layer") {
  hardware::DeviceSpec device = lpu();
  const DataflowPlan plan = plan_of("llama-3.1-70b", device, {.devices = 800});
  const auto side_s = [&](const hardware::DeviceSpec& of, std::size_t sequences) {
    StepCostInputs inputs;
    inputs.model = test::model_preset("llama-3.1-70b");
    inputs.device = of;
    inputs.dataflow = plan;
    inputs.execution.part = LayerPart::feed_forward;
    Diagnostics findings;
    const auto model = make_step_cost(inputs, findings);
    const Batch running = batch(sequences, 1000);
    const StepCost cost = model->price(running.shape(), {});
    CHECK(cost.growth.ps == 0);
    return cost.duration.seconds();
  };
  // 80 layers of three matrices of 8192 x 28672, two bytes a weight, over ten chips each; bound by arithmetic from two tokens on.
  const double weights = 80.0 * 3 * 8192 * 28672;
  hardware::DeviceSpec free = device;
  free.hop_s = 0;
  free.scale_up_bytes_per_s = 1e18;
  CHECK(side_s(free, 1) == Approx(2 * weights / (10 * 80e12)).epsilon(0.01));
  CHECK(side_s(free, 64) == Approx(64 * 2 * weights / (10 * 188e12)).epsilon(0.01));
  hardware::DeviceSpec meeting = free;
  meeting.sync_s = 1e-6;
  CHECK(side_s(meeting, 1) - side_s(free, 1) == Approx(80 * 1e-6));
}

TEST_CASE("What the cost of a dataflow machine cannot be computed from is named") {
  hardware::DeviceSpec device = lpu();
  device.sram_bytes_per_s.reset();
  device.peak = {};
  device.hop_s.reset();
  StepCostInputs inputs;
  inputs.model = test::model_preset("llama-3.1-8b");
  inputs.device = device;
  inputs.dataflow = plan_of("llama-3.1-8b", device, {.devices = 100});
  Diagnostics findings;
  CHECK(make_step_cost(inputs, findings) == nullptr);
  std::string messages;
  for (const Diagnostic& finding : findings.all()) messages += finding.message + '\n';
  CHECK(messages ==
        "the catalog does not know peak.bf16 (or that of a wider format) of lpu\n"
        "the catalog does not know on_chip.bandwidth of lpu\n"
        "the catalog does not know dataflow.hop_latency of lpu\n");
}
