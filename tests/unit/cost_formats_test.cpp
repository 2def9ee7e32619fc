#include <filesystem>

#include "models/cost/calibration.h"
#include "models/cost/grouped_table.h"
#include "models/cost/measured_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/roofline_cost.h"
#include "models/cost/step_operators.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::cost;
using llm::Operator;
using llm::OperatorClass;
using llm::WeightFormat;

namespace {

const OperatorProfile& h200_profile() {
  static const OperatorProfile profile = [] {
    Diagnostics findings;
    return read_profile(std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200", findings);
  }();
  return profile;
}

ScaleUpSpec nvlink() { return scale_up_spec("nvlink4", 450e9); }

RooflineOperatorCost h200_roofline() { return {test::h200(), fit_efficiencies(h200_profile(), test::h200()), nvlink()}; }

MeasuredOperatorCost h200() { return {h200_profile(), test::h200(), std::make_shared<RooflineOperatorCost>(h200_roofline())}; }

std::vector<Operator> prompt(const llm::ModelShape& model, int tensor, std::int32_t tokens) {
  Diagnostics findings;
  const PrefillChunk chunk{.new_tokens = tokens, .past_tokens = 0, .last = true};
  StepShape step;
  step.prefill = {&chunk, 1};
  return step_operators(llm::shard(model, {.tensor = tensor}, {}, "", findings), step);
}

std::vector<Operator> decodes(const llm::ModelShape& model, int sequences, std::int64_t context) {
  Diagnostics findings;
  StepShape step;
  step.decode_sequences = sequences;
  step.decode_context_tokens = sequences * context;
  return step_operators(llm::shard(model, {}, {}, "", findings), step);
}

/// By provenance, of the operators of one class or of all.
struct Sum {
  double seconds = 0;
  std::array<double, provenance_count> by{};
};
Sum sum(const OperatorCostModel& model, const std::vector<Operator>& operators, std::optional<OperatorClass> only = {}) {
  Sum result;
  for (const Operator& op : operators) {
    if (only && class_of(op.kind) != *only) continue;
    const OperatorCost cost = model.cost(op);
    result.seconds += op.count * cost.seconds();
    result.by[static_cast<std::size_t>(cost.provenance)] += op.count * cost.seconds();
  }
  return result;
}

llm::ModelShape with_weights(const std::string& preset, WeightFormat format) {
  llm::ModelShape model = test::model_preset(preset);
  model.weights.attention = model.weights.attention_output = model.weights.feed_forward = model.weights.experts = format;
  return model;
}

constexpr auto measured_share = static_cast<std::size_t>(Provenance::measured);
constexpr auto calibrated_share = static_cast<std::size_t>(Provenance::calibrated);

}  // namespace

TEST_CASE("A group of a product costs by its own rows, and measured places come out exactly") {
  // 8 groups: 10 + r for r = 1; 32 groups: 10 + 32 + … for r = 1 to 100, 2 for each further row of all.
  const std::vector<GroupedTable::Point> points{{8, 8, 20}, {32, 32, 50}, {32, 3200, 250}};
  const GroupedTable table(points);
  for (const auto& point : points) CHECK(table.at(point.groups, point.rows).value == point.value);
  CHECK(table.at(32, 32 * 50.5).value == Approx(150));
  // One curve ends at r = 1: 200 more on 32 groups are 50 more on 8.
  CHECK(table.at(8, 800).value == Approx(70));
  CHECK_FALSE(table.at(8, 800).inside);
  // Between and beyond them a line at the same r: 70 and 250 at r = 100.
  CHECK(table.at(20, 2000).value == Approx(160));
  CHECK(table.at(56, 5600).value == Approx(430));
  CHECK(table.at(4, 400).value == Approx(40));  // 70 − 4/24 · 180
}

TEST_CASE("A table of one number of groups goes with their number") {
  const std::vector<GroupedTable::Point> points{{8, 8, 100}, {8, 8192, 900}};
  CHECK(GroupedTable(points).at(1, 1024).value == Approx(900 / 8.0));
  CHECK(GroupedTable(points).at(16, 16384).value == Approx(1800));
}

TEST_CASE("Prompts of experts take longer with more tokens and shorter with more devices, at rates that were measured") {
  // Even groups of 128 rows and more reach 262 to 341 TFLOP/s in the profile; a stand-in's error is a fifth.
  const auto [preset, format] = GENERATE(table<std::string, WeightFormat>({{"mixtral-8x7b", WeightFormat::bf16}, {"gpt-oss-20b", WeightFormat::bf16},
                                                                         {"gpt-oss-120b", WeightFormat::bf16}, {"gpt-oss-120b", WeightFormat::mxfp4},
                                                                         {"qwen3-235b-a22b", WeightFormat::bf16}}));
  CAPTURE(preset, to_string(format));
  const llm::ModelShape model = with_weights(preset, format);
  const MeasuredOperatorCost cost = h200();
  double fewer_devices = 1e9;
  for (const int tensor : {1, 2, 4}) {
    double fewer_tokens = 0;
    double at_4096 = 0;
    for (const int tokens : {16, 64, 256, 500, 1024, 2048, 3000, 4096, 8192}) {
      const double seconds = sum(cost, prompt(model, tensor, tokens), OperatorClass::grouped_gemm).seconds;
      CAPTURE(tensor, tokens);
      CHECK(seconds >= fewer_tokens);
      fewer_tokens = seconds;
      if (tokens == 4096) at_4096 = seconds;
    }
    CAPTURE(tensor);
    CHECK(at_4096 < fewer_devices);
    fewer_devices = at_4096;
    for (const Operator& op : prompt(model, tensor, 32768)) {
      if (class_of(op.kind) != OperatorClass::grouped_gemm) continue;
      CHECK(op.flops / cost.cost(op).seconds() > 0.8 * 262e12);
      CHECK(op.flops / cost.cost(op).seconds() < 1.2 * 341e12);
    }
  }
}

TEST_CASE("Weights stored narrower than multiplied move their own bytes and are never measured") {
  const auto format = GENERATE(WeightFormat::mxfp4, WeightFormat::nvfp4, WeightFormat::int4_group128, WeightFormat::int4_group32, WeightFormat::int8);
  CAPTURE(to_string(format));
  const MeasuredOperatorCost cost = h200();
  const auto narrow = decodes(with_weights("llama-3.1-8b", format), 1, 500);
  const auto wide = decodes(with_weights("llama-3.1-8b", WeightFormat::bf16), 1, 500);
  for (const Operator& op : narrow) {
    if (op.weights != format || class_of(op.kind) != OperatorClass::gemm) continue;
    CHECK(cost.cost(op).provenance == Provenance::calibrated);
    CHECK(cost.cost(op).seconds() == h200_roofline().cost(op).seconds());
  }
  CHECK(sum(cost, wide).by[measured_share] > 0.9 * sum(cost, wide).seconds);
  // Of 16 GB the layers' 14 GB shrink to bits / 16, in a roofline within a tenth of the measured products.
  CHECK(sum(cost, narrow).seconds < (llm::bits_per_weight(format) > 7 ? 0.75 : 0.55) * sum(cost, wide).seconds);
  // Multiplied in bf16: a long prompt gains nothing.
  const double prompt_wide = sum(cost, prompt(with_weights("llama-3.1-8b", WeightFormat::bf16), 1, 8192), OperatorClass::gemm).seconds;
  const double prompt_narrow = sum(cost, prompt(with_weights("llama-3.1-8b", format), 1, 8192), OperatorClass::gemm).seconds;
  CHECK(prompt_narrow == Approx(prompt_wide).epsilon(0.15));
}

TEST_CASE("A kernel that differs from the measured one in its scales or in fp16 for bf16 costs the same, calibrated") {
  const auto [like, same] = GENERATE(table<WeightFormat, WeightFormat>({{WeightFormat::fp8_block128, WeightFormat::fp8}, {WeightFormat::fp16, WeightFormat::bf16}}));
  const MeasuredOperatorCost cost = h200();
  const Sum a = sum(cost, prompt(with_weights("llama-3.1-8b", like), 1, 2048), OperatorClass::gemm);
  const Sum b = sum(cost, prompt(with_weights("llama-3.1-8b", same), 1, 2048), OperatorClass::gemm);
  CHECK(a.seconds == Approx(b.seconds));
  CHECK(b.by[measured_share] == Approx(b.seconds));
  CHECK(a.by[calibrated_share] > 0.9 * a.seconds);
}

TEST_CASE("A cache in 8 bits is read in half the time, and is not measured") {
  llm::ModelShape model = test::model_preset("llama-3.1-8b");
  const MeasuredOperatorCost cost = h200();
  const Sum wide = sum(cost, decodes(model, 16, 30'000), OperatorClass::decode_attention);
  const double prompt_wide = sum(cost, prompt(model, 1, 4096), OperatorClass::prefill_attention).seconds;
  model.kv = GENERATE(hardware::NumberFormat::fp8, hardware::NumberFormat::int8);
  const Sum narrow = sum(cost, decodes(model, 16, 30'000), OperatorClass::decode_attention);
  CHECK(narrow.seconds == Approx(wide.seconds / 2).epsilon(0.03));  // Queries, outputs and kernels stay.
  CHECK(wide.by[calibrated_share] == 0);
  CHECK(narrow.by[calibrated_share] == narrow.seconds);
  // A prompt multiplies in 16 bits all the same.
  CHECK(sum(cost, prompt(model, 1, 4096), OperatorClass::prefill_attention).seconds == Approx(prompt_wide).epsilon(0.01));
}

TEST_CASE("A table of mixed batches scales for another cache by the bytes of both kinds") {
  OperatorProfile profile;
  for (const double tokens : {0.0, 1.0})
    for (const double sequences : {1.0, 64.0})
      for (const double context : {0.0, 8000.0})
        profile.points.push_back({{{ProfileFamily::mixed_attention, 0, {32, 8, 128, 128}}, {tokens, 0, sequences, context}}, 10e-6 + sequences * context * 1e-9});
  const MeasuredOperatorCost cost(profile, test::h200(), std::make_shared<RooflineOperatorCost>(h200_roofline()));
  llm::ModelShape model = test::model_preset("llama-3.1-8b");
  Diagnostics findings;
  const auto attention = [&](double context) {
    const llm::ShardedShape sharded = llm::shard(model, {}, {}, "", findings);
    return llm::decode_attention(sharded, sharded.layers[0], context > 1 ? 64 : 1, context > 1 ? 64 * context : 1);
  };
  const double wide = cost.cost(attention(8000)).seconds();
  const MixedAttention load{.prefill = {}, .decode_sequences = 64, .decode_context_tokens = 64 * 8000, .decode_context_max = 8000};
  const PrefillChunk chunk{.new_tokens = 1, .past_tokens = 0, .last = true};
  MixedAttention mixed = load;
  mixed.prefill = {&chunk, 1};
  const double wide_mixed = cost.mixed_attention(attention(1), mixed).seconds();
  model.kv = hardware::NumberFormat::fp8;
  CHECK(cost.cost(attention(8000)).seconds() == Approx(wide / 2).epsilon(0.03));
  CHECK(cost.mixed_attention(attention(1), mixed).seconds() == Approx(wide_mixed / 2).epsilon(0.03));
  CHECK(cost.mixed_attention(attention(1), mixed).provenance == Provenance::calibrated);
}

TEST_CASE("A window over measured heads does less work than the measured kernel, and is not measured") {
  llm::ModelShape model = test::model_preset("llama-3.1-8b");
  const MeasuredOperatorCost cost = h200();
  const double full = sum(cost, prompt(model, 1, 8192), OperatorClass::prefill_attention).seconds;
  for (llm::LayerShape& layer : model.layers) {
    layer.attention.kind = llm::AttentionKind::sliding;
    layer.attention.window_tokens = 1024;
  }
  const Sum windowed = sum(cost, prompt(model, 1, 8192), OperatorClass::prefill_attention);
  // 8192 · 1024 − 1024²/2 of 8192²/2 pairs: 0.234.
  CHECK(windowed.seconds == Approx(0.234 * full).epsilon(0.1));
  CHECK(windowed.by[calibrated_share] == windowed.seconds);
}
