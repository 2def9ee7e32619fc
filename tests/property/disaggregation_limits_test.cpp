#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;
using test::run_scenario;
using test::run_scenario_file;

namespace {

/// All requests at once, stated step times, no latency: what published steady-state models describe.
std::string sides(int attention_devices, int micro_batches, int requests, const std::string& attention_decode, const std::string& ffn_decode,
                  const std::string& latency) {
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload: {{generator: {{arrivals: constant, input_tokens: 1, output_tokens: 100}}, rate: 1000000 /s, requests: {}}}\n"
      "facility: {{racks: [{{name: a, rack: {{preset: hgx-h200-air, node: {{devices: 24}}, scale_up: {{devices: 24}}}}}}]}}\n"
      "deployment:\n"
      "  - {{pool: attn, role: attention, model: qwen3-8b, on: \"a[0..{}]\", micro_batches: {}, scheduler: {{max_sequences: 8192}}, "
      "step_times: {{prefill: 1 ms, decode: {}}}}}\n"
      "  - {{pool: ffn, role: ffn, serves: attn, model: qwen3-8b, on: \"a[23]\", exchange: {{bandwidth: 1000000 GB/s, latency: {}}}, "
      "step_times: {{prefill: 1 ms, decode: {}}}}}\n",
      requests, attention_devices - 1, micro_batches, attention_decode, latency, ffn_decode);
}

/// The median: requests that meet the prompts of others in a step do not count.
double tpot_s(const std::string& scenario) { return run_scenario(scenario).summary.tpot_s->p50; }

}  // namespace

TEST_CASE("FastAFD's speed-up comes out of a scenario file with its kernel shares") {
  // Without a split, 48 sequences a GPU take 43.4 + 16.2 + 40.5 = 100.1 ms. Published prediction: 1.453.
  const double split_s = run_scenario_file(RACKWRIGHT_SOURCE_DIR "/scenarios/library/validation/fastafd_minimax_8k.yaml").summary.tpot_s->p50;
  CHECK(1.5 * 100.1e-3 / split_s * 17 / 18 == Approx(1.453).epsilon(.003));
}

TEST_CASE("MegaScale-Infer's conditions: three micro-batches hide an exchange below half a stage, four any below a whole one") {
  // 36 layers, 3.6 ms a side: stages of 100 us. R + (36 m - 1) · 100 us when hidden.
  const auto step_s = [](int micro_batches, int link_us) {
    return tpot_s(sides(1, micro_batches, 12, "3.6 ms", "3.6 ms", fmt::format("{} us", link_us)));
  };
  CHECK(step_s(3, 40) == Approx((280 + 107 * 100) * 1e-6).epsilon(1e-4));
  CHECK(step_s(2, 40) == Approx((36 * 280 + 100) * 1e-6).epsilon(1e-4));
  CHECK(step_s(4, 90) == Approx((380 + 143 * 100) * 1e-6).epsilon(1e-4));
  CHECK(step_s(3, 90) == Approx((36 * 380 + 200) * 1e-6).epsilon(1e-4));
}

TEST_CASE("The ratio of attention to feed-forward instances with the most tokens per instance is that of rA-1F") {
  // Attention 7.2 ms whatever its batch, feed-forward 1.44 ms + 18 us for each of the r · 64 sequences of a micro-batch:
  // r* = (7.2 - 1.44) / (0.018 · 64) = 5.
  constexpr int slots = 64;
  constexpr int micro_batches = 4;
  int best = 0;
  double best_rate = 0;
  for (int r = 2; r <= 8; ++r) {
    const double step_s = tpot_s(sides(r, micro_batches, r * micro_batches * slots, "7.2 ms", "{constant: 1.44 ms, per_sequence: 18 us}", "0 s"));
    const double rate = static_cast<double>(r) / (r + 1) / step_s;
    if (rate > best_rate) best = r, best_rate = rate;
  }
  CHECK(best == 5);
}

TEST_CASE("Speculation gains with few users and loses with many") {
  // Verification of five tokens reads weights once: with one sequence a step takes as long, with many five times the
  // operations count.
  const auto tpot = [](double rate, const std::string& speculation) {
    return tpot_s(fmt::format(
        "schema: rackwright/v1\n"
        "workload: {{generator: {{input_tokens: 200, output_tokens: 200}}, rate: {} /s, duration: 20 s}}\n"
        "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
        "deployment: [{{pool: chat, model: llama-3.1-8b, on: \"a[0]\"{}}}]\n",
        rate, speculation));
  };
  const std::string drafts = ", speculation: {method: n-gram, tokens: 4, acceptance: 0.3}";
  CHECK(tpot(0.2, drafts) < 0.8 * tpot(0.2, ""));
  CHECK(tpot(60, drafts) > 1.1 * tpot(60, ""));
}
