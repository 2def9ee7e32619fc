#include <cmath>
#include <vector>

#include "models/cost/attention_ffn_step_cost.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::cost;

namespace {

constexpr std::int64_t us = 1'000'000;  ///< In picoseconds.

/// base + per_sequence · decodes + per_context_token · attended tokens, in picoseconds.
struct Affine final : StepCostModel {
  Affine(std::int64_t base_ps, std::int64_t sequence_ps = 0, std::int64_t token_ps = 0)
      : base(base_ps), per_sequence(sequence_ps), per_context_token(token_ps) {}
  StepCost price(const StepShape& step, const OperatingPoint&) const override {
    StepCost cost;
    cost.duration.ps = base + per_sequence * step.decode_sequences + per_context_token * step.decode_context_tokens;
    cost.growth.ps = per_context_token * step.decode_sequences;
    cost.steps = 1000;
    cost.power_mw = 500'000;
    cost.parts.sm_clock_s = cost.duration.seconds();
    return cost;
  }
  std::int64_t idle_power_mw() const override { return 100'000; }
  std::int64_t base, per_sequence, per_context_token;
};

StepShape batch(std::int32_t sequences, std::int32_t context = 1000) {
  StepShape shape;
  shape.decode_sequences = sequences;
  shape.decode_context_tokens = std::int64_t{sequences} * context;
  shape.decode_context_max = context;
  return shape;
}

AttentionFfnSpec spec_of(int layers, int micro_batches) {
  AttentionFfnSpec spec;
  spec.layers = layers;
  spec.micro_batches = micro_batches;
  return spec;
}

/// Microseconds of a step whose sides take T_a, T_e for a layer of a micro-batch, and T_c one way between them.
double step_us(double attention_us, double ffn_us, double link_us, int layers, int micro_batches) {
  AttentionFfnSpec spec = spec_of(layers, micro_batches);
  spec.exchange.latency_s = link_us * 1e-6;
  const auto side = [&](double layer_us) { return std::make_shared<Affine>(std::llround(layer_us * layers * us)); };
  const AttentionFfnStepCost cost(side(attention_us), side(ffn_us), spec);
  return static_cast<double>(cost.price(batch(60), {}).duration.ps) / us;
}

}  // namespace

TEST_CASE("With enough micro-batches a step is the first one's way through and m L - 1 turns of the slowest side") {
  // MegaScale-Infer: m ≥ 2 (1 + T_c / T_f). T_a + T_e + 2 T_c + T_f (m L - 1).
  CHECK(step_us(100, 100, 40, 32, 3) == Approx(100 + 100 + 80 + 100.0 * (3 * 32 - 1)));   // T_c < T_f / 2: three suffice.
  CHECK(step_us(100, 90, 70, 32, 4) == Approx(100 + 90 + 140 + 100.0 * (4 * 32 - 1)));    // Beyond half, four do.
}

TEST_CASE("With too few, micro-batches wait for their round trip in every layer") {
  // Two cannot cover 100 + 100 + 2 · 40 = 280 us: L · 280 + one more turn.
  CHECK(step_us(100, 100, 40, 32, 2) == Approx(32 * 280.0 + 100));
  // One alone takes all of them in turn.
  CHECK(step_us(100, 60, 40, 32, 1) == Approx(32 * 240.0));
}

TEST_CASE("A hidden feed-forward side gives the published speed-ups of attention/FFN splits") {
  // FastAFD: shares of FMHA, dense and MoE kernels in a step without split, 17 attention instances to one, batch 1.5-fold,
  // two micro-batches: speed-up = 1.5 T / (1.5 FMHA + 2 dense) · 17 / 18.
  const auto speed_up = [](double fmha, double dense, double moe) {
    AttentionFfnSpec spec = spec_of(1000, 2);
    spec.attention_instances = 17;
    constexpr int batch_alone = 48;
    const auto per_sequence = static_cast<std::int64_t>(fmha * 1000 * us / batch_alone);
    const AttentionFfnStepCost split(std::make_shared<Affine>(std::llround(dense * 1000 * us), per_sequence), std::make_shared<Affine>(us), spec);
    StepShape step = batch(17 * batch_alone * 3 / 2);
    const double split_us = static_cast<double>(split.price(step, {}).duration.ps) / us;
    return 1.5 * (fmha + dense + moe) * 1000 / split_us * 17 / 18;
  };
  CHECK(speed_up(43.4, 16.2, 40.5) == Approx(1.453).epsilon(.002));
  CHECK(speed_up(48.2, 15.3, 36.4) == Approx(1.377).epsilon(.002));
}

TEST_CASE("The best number of attention instances to one feed-forward instance is where both sides take as long") {
  // rA-1F 2601.21351: r* = max{(t_A - b_F) / (a_F B), sqrt(b_F / (a_F B))}; per instance r B / ((r + 1) t).
  constexpr std::int64_t slots = 64;  // Of one micro-batch and attention instance.
  constexpr int m = 4;
  constexpr int layers = 1000;
  const std::int64_t attention_ps = 200 * us;                   // Of a layer, with its slots full.
  const std::int64_t ffn_base_ps = 40 * us;
  const std::int64_t ffn_sequence_ps = us / 2;
  int best = 0;
  double best_rate = 0;
  for (int r = 1; r <= 20; ++r) {
    AttentionFfnSpec spec = spec_of(layers, m);
    spec.attention_instances = r;
    const AttentionFfnStepCost cost(std::make_shared<Affine>(attention_ps * layers), std::make_shared<Affine>(ffn_base_ps * layers, ffn_sequence_ps * layers), spec);
    const StepCost step = cost.price(batch(static_cast<std::int32_t>(r * m * slots)), {});
    const double rate = static_cast<double>(r) / (r + 1) / step.duration.seconds();
    if (rate > best_rate) best = r, best_rate = rate;
  }
  CHECK(best == 5);  // (200 - 40) / (0.5 · 64) = 5.
}

TEST_CASE("A step waits for the attention instance with the most context") {
  AttentionFfnSpec spec = spec_of(10, 1);
  spec.attention_instances = 4;
  const AttentionFfnStepCost cost(std::make_shared<Affine>(us, 0, us), std::make_shared<Affine>(us), spec);
  std::vector<std::int32_t> contexts(400, 1000);
  StepShape even = batch(400);
  even.decode_contexts = contexts;
  for (std::size_t i = 0; i < contexts.size(); ++i) contexts[i] = i % 2 == 0 ? 500 : 1500;
  // σ = 500, 100 sequences an instance: 500 √100 √(2 ln 4) = 8,326 tokens beyond 100,000, of 1 us each.
  const std::int64_t uneven_ps = cost.price(even, {}).duration.ps;
  contexts.assign(400, 1000);
  CHECK(uneven_ps - cost.price(even, {}).duration.ps == 8326 * us);
  CHECK(cost.needs_contexts());
}

TEST_CASE("A price along a stretch agrees with the stretch to the picosecond, whichever side binds") {
  const std::int64_t ffn_us = GENERATE(1, 900, 1300, 2000);
  const int m = GENERATE(1, 2, 3);
  AttentionFfnSpec spec = spec_of(7, m);
  spec.attention_instances = 3;
  spec.exchange.latency_s = 3e-6;
  const AttentionFfnStepCost cost(std::make_shared<Affine>(17 * us, 3, 1237), std::make_shared<Affine>(ffn_us * us, 5), spec);
  std::vector<std::int32_t> contexts{100, 2000, 700, 30, 1200, 5000, 60, 60};
  const auto at = [&](std::int32_t age) {
    std::vector<std::int32_t> aged = contexts;
    StepShape shape = batch(8);
    shape.decode_context_tokens = shape.decode_context_max = 0;
    for (std::int32_t& context : aged) {
      context += age;
      shape.decode_context_tokens += context;
      shape.decode_context_max = std::max(shape.decode_context_max, context);
    }
    shape.decode_contexts = aged;
    return cost.price(shape, {});
  };
  const StepCost first = at(0);
  for (const std::int32_t k : {1, 2, 5, 100, 500}) {
    if (k >= first.steps) continue;
    const StepCost later = at(k);
    CHECK(later.duration == first.duration + first.growth * k);
    CHECK(later.growth == first.growth);
  }
}

TEST_CASE("What bounds a step adds up to its duration, with prompts in it and without") {
  AttentionFfnSpec spec = spec_of(32, 3);
  spec.attention_instances = 4;
  spec.ffn_instances = 2;
  spec.exchange = {20e-6, 7168, 14336, 50e9, 50e9};
  const AttentionFfnStepCost cost(std::make_shared<Affine>(1000 * us, us, us / 1000), std::make_shared<Affine>(900 * us, us), spec);
  StepShape step = batch(600);
  const PrefillChunk prompts[] = {{700, 0, true}, {300, 0, true}};
  for (const bool with_prompts : {false, true}) {
    if (with_prompts) step.prefill = prompts;
    const StepCost priced = cost.price(step, {});
    CHECK(priced.parts.sm_clock_s + priced.parts.memory_s + priced.parts.link_s + priced.parts.host_s == Approx(priced.duration.seconds()).epsilon(1e-6));
  }
}

TEST_CASE("Each side draws its idle power while it waits") {
  // One micro-batch: attention works 100 of 160 us, the other side 60.
  const AttentionFfnStepCost cost(std::make_shared<Affine>(100 * us), std::make_shared<Affine>(60 * us), spec_of(10, 1));
  const StepCost step = cost.price(batch(8), {});
  CHECK(step.power_mw == 100'000 + 400'000 * 100 / 160);
  CHECK(step.partner.busy.ps == 60 * us);
  CHECK(step.partner.power_mw == 500'000);
}
