#include <algorithm>

#include "models/base/invariant.h"
#include "models/cost/calibration.h"
#include "models/cost/make_step_cost.h"
#include "models/cost/measured_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/roofline_cost.h"
#include "models/cost/vllm_profile_reader.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/sharded_preset.h"
#include "tests/support/shared_data.h"

using namespace rackwright;
using namespace rackwright::cost;
using llm::Operator;
using llm::OperatorKind;

namespace {

/// NVIDIA RTX PRO 6000 Blackwell Server Edition. Bandwidth and power: facts of the catalog; the bf16 peak is assumed.
hardware::DeviceSpec rtx_pro_6000() {
  hardware::DeviceSpec device = test::h200();
  device.name = "rtx-pro-6000";
  device.peak.bf16_flop_per_s = 500e12;
  device.memory_bytes_per_s = 1.79e12;
  device.memory_bytes = 96e9;
  device.idle_power_w = 35;
  device.limit_power_w = 600;
  device.scale_up_link = "pcie5";
  device.scale_up_bytes_per_s = 63e9;
  return device;
}

}  // namespace

TEST_CASE("Products on an RTX PRO 6000 take what an H200 reaches of its own peaks, within 9 percent in the median") {
  // Its peak in bf16 is not published; 500 TFLOP/s is assumed. Its memory-bound layers ran in a cache of 128 MB: no check.
  const auto folder = test::shared_data("measured/kernel-profile-rtxpro6000/Llama-3.1-8B-tp1");
  Diagnostics findings;
  const OperatorProfile theirs = read_vllm_profile(folder, test::sharded_preset("llama-3.1-8b", 1), findings);
  const OperatorProfile ours = read_profile(std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200", findings);
  const RooflineOperatorCost lent(rtx_pro_6000(), carried_efficiencies(ours, test::h200(), rtx_pro_6000()), std::nullopt);
  for (const FitQuality& quality : fit_quality(lent, theirs.points)) {
    CAPTURE(quality.operator_class, quality.points, quality.p50, quality.p95);
    if (quality.operator_class != "gemm") continue;
    CHECK(quality.p50 < 0.09);
    CHECK(quality.p95 < 0.30);
  }
}

TEST_CASE("The external profile of Llama-3.1-8B prices the operators it was taken of") {
  const auto folder = test::shared_data("measured/kernel-profile-rtxpro6000/Llama-3.1-8B-tp1");
  const llm::ShardedShape sharded = test::sharded_preset("llama-3.1-8b", 1);
  Diagnostics findings;
  const OperatorProfile profile = read_vllm_profile(folder, sharded, findings);
  CHECK(findings.all().empty());
  CHECK(profile.device == "NVIDIA RTX PRO 6000 Blackwell Server Edition");
  const hardware::DeviceSpec device = rtx_pro_6000();
  const MeasuredOperatorCost model(profile, device, std::make_shared<RooflineOperatorCost>(device, default_efficiencies(device), std::nullopt));
  // dense.csv: qkv_proj,208 and act_fn,1; per_sequence.csv: lm_head,8; attention.csv: 0,0,1,1024 and 2048,16,64,4096.
  CHECK(model.cost(test::operator_of(llm::token_operators(sharded, 208), OperatorKind::qkv_projection)).seconds() == Approx(55.3593e-6));
  CHECK(model.cost(test::operator_of(llm::token_operators(sharded, 1), OperatorKind::activation)).seconds() == Approx(2.67733e-6));
  CHECK(model.cost(test::operator_of(llm::row_operators(sharded, 8), OperatorKind::lm_head)).seconds() == Approx(690.934e-6));
  const Operator one = llm::decode_attention(sharded, sharded.layers[0], 1, 1024);
  CHECK(model.cost(one).seconds() == Approx(14.592e-6));
  CHECK(model.cost(one).provenance == Provenance::measured);
  const PrefillChunk chunk{.new_tokens = 2048, .past_tokens = 16, .last = false};
  const OperatorCost mixed = model.mixed_attention(one, {.prefill = {&chunk, 1}, .decode_sequences = 64, .decode_context_tokens = 64 * 4096, .decode_context_max = 4096});
  CHECK(mixed.seconds() == Approx(1558.28e-6));
  for (const Operator& op : llm::token_operators(sharded, 700))
    CHECK(model.cost(op).provenance == Provenance::measured);
}

TEST_CASE("Steps priced from the external profile walk and price alike") {
  const auto folder = test::shared_data("measured/kernel-profile-rtxpro6000/Qwen3-32B-tp2");
  StepCostInputs inputs;
  inputs.model = test::model_preset("qwen3-32b");
  inputs.parallelism = {.tensor = 2};
  inputs.device = rtx_pro_6000();
  inputs.execution.max_sequences = 128;
  inputs.execution.max_tokens = 2048;
  Diagnostics findings;
  inputs.profile = std::make_shared<OperatorProfile>(read_vllm_profile(folder, test::sharded_preset("qwen3-32b", 2), findings));
  CHECK(findings.all().empty());
  const auto model = make_step_cost(inputs, findings);
  REQUIRE(model);
  StepShape step;
  for (const auto& [sequences, total, longest] : std::vector<std::array<std::int64_t, 3>>{{1, 500, 500}, {48, 48 * 700 + 5, 2000}, {100, 90'000, 4000}}) {
    step.decode_sequences = static_cast<std::int32_t>(sequences);
    step.decode_context_tokens = total;
    step.decode_context_max = static_cast<std::int32_t>(longest);
    const StepCost stretch = model->price(step, {});
    for (std::int64_t k = 0; k < stretch.steps; ++k) {
      REQUIRE(model->price(step, {}).duration == stretch.duration + k * stretch.growth);
      step.decode_context_tokens += sequences;
      step.decode_context_max += 1;
    }
    CHECK(stretch.provenance[static_cast<std::size_t>(Provenance::measured)] > 0.8);
  }
}
