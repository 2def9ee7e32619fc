// What parallelism and scheduling do to whole scenarios of the library, in the order that publications and formulas give.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/plain_distserve_loop.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;
using Settings = std::vector<scenarios::Setting>;

namespace {

test::ScenarioRun run(const std::string& scenario, const Settings& settings = {}) {
  return test::run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/" + scenario, settings);
}

results::RunSummary summary(const std::string& scenario, const Settings& settings = {}) { return run(scenario, settings).summary; }

double step_s(const results::RunSummary& summary) { return summary.itl_s->p50; }

}  // namespace

TEST_CASE("A scenario with DistServe's coefficients gives every time of its rules") {
  test::DistServeSetup setup;
  setup.prefill_tokens = setup.context_tokens = 66'144;
  setup.prefill = {14.743, 0.068577, 2.4496e-6};
  setup.decode = {19.9347, 6.2694e-4, 0.038507};
  setup.large_decode = {7.1662, 5.7980e-4, 0.158311};
  const bool is_tight = GENERATE(false, true);
  Settings settings;
  if (is_tight) {
    setup.context_tokens = 3'000;
    settings = {{"deployment.tokens.scheduler.context_budget", "3000"}};
  }
  test::ScenarioRun got = run("validation/distserve_opt13b.yaml", settings);
  std::ranges::sort(got.requests, {}, &metrics::RequestOutcome::id);
  std::vector<test::DistServeRequest> want;
  for (const metrics::RequestOutcome& one : got.requests)
    want.push_back({static_cast<double>(one.arrival.ps) * 1e-9, one.input_tokens, one.output_tokens - 1});
  test::run_plain_distserve(setup, want);
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    worst = std::max(worst, std::abs(got.requests[i].first_token.seconds() - want[i].first_token_ms * 1e-3));
    worst = std::max(worst, std::abs(got.requests[i].last_token.seconds() - want[i].end_ms * 1e-3));
  }
  CHECK(want.size() == 1000);
  CHECK(worst < 1e-8);
}

TEST_CASE("Chunked prompts keep tokens coming, hybrid steps bring the first one sooner, and both together do both (Sarathi-Serve, table 4)") {
  const results::RunSummary both = summary("mixed/sarathi_ordering.yaml");
  const results::RunSummary chunks = summary("mixed/sarathi_ordering.yaml", {{"deployment.chat.scheduler.steps", "alternating"}});
  const results::RunSummary hybrid = summary("mixed/sarathi_ordering.yaml", {{"deployment.chat.scheduler", "{policy: vllm-v1, chunked_prefill: false, token_budget: 8192}"}});
  CHECK(hybrid.ttft_s->p50 < both.ttft_s->p50);
  CHECK(both.ttft_s->p50 < chunks.ttft_s->p50);
  CHECK(both.itl_s->p99 <= chunks.itl_s->p99);
  CHECK(chunks.itl_s->p99 < 0.75 * hybrid.itl_s->p99);
}

TEST_CASE("The first token of a long prompt comes a C-th as late on C devices") {
  const double one = summary("mixed/long_prompts.yaml", {{"deployment.long.context_parallel", "1"}, {"deployment.long.on", "gpu[0]"}}).ttft_s->mean;
  for (const int degree : {2, 4, 8}) {
    const double shared = summary("mixed/long_prompts.yaml", {{"deployment.long.context_parallel", std::to_string(degree)},
                                                              {"deployment.long.on", "gpu[0.." + std::to_string(degree - 1) + "]"}}).ttft_s->mean;
    CAPTURE(degree, one, shared);
    // A token's work does not fall in proportion where its products are measured, and the LM head's row not at all.
    CHECK(shared * degree / one == Approx(1).epsilon(0.05));
  }
}

TEST_CASE("Skewed experts slow decodes down, and copies of the hot ones win most of it back") {
  const double even = step_s(summary("mixed/skewed_experts.yaml", {{"deployment.chat.experts", "even"}}));
  const double in_order = step_s(summary("mixed/skewed_experts.yaml", {{"deployment.chat.experts", "{load: power-law}"}}));
  const double by_load = step_s(summary("mixed/skewed_experts.yaml", {{"deployment.chat.experts", "{load: power-law, placement: balanced}"}}));
  const double copied = step_s(summary("mixed/skewed_experts.yaml"));
  CAPTURE(even, in_order, by_load, copied);
  CHECK(in_order > 1.05 * even);
  CHECK(by_load < in_order);
  CHECK(copied - even < 0.5 * (in_order - even));
}

TEST_CASE("Two batches that take turns gain at 256 sequences a device and lose at 32 (SGLang on 96 H100: +25.5 %, -27 %)") {
  const auto decode = [](int sequences, const char* overlap) {
    const std::string all = std::to_string(72 * sequences);
    return step_s(summary("validation/deepseek_ep_decode.yaml", {{"workload.requests", all}, {"deployment.tokens.communication.experts", overlap},
                                                                {"deployment.tokens.execution.decode_graph_sizes", "[" + all + "]"}}));
  };
  CHECK(decode(256, "layer") < decode(256, "none"));
  CHECK(decode(32, "layer") > decode(32, "none"));
}

TEST_CASE("Jumping changes nothing with skewed experts, two batches in turn, and prompts split over devices") {
  const std::string experts =
      "schema: rackwright/v1\n"
      "workload: {generator: {input_tokens: {quantiles: {p0: 20, p100: 900}}, output_tokens: {quantiles: {p0: 2, p100: 300}}}, rate: 200 /s, requests: 150}\n"
      "facility: {racks: [{name: a, rack: {preset: hgx-h100-air, nodes: 2}}]}\n"
      "deployment:\n"
      "  - {pool: chat, model: qwen3-30b-a3b, on: \"a[0..15]\", data_parallel: 16, scheduler: {max_sequences: 64, token_budget: 512},\n"
      "     experts: {load: power-law, exponent: 0.7, placement: balanced, redundant: 1, dispatch: forwarded}, communication: {experts: layer, sms: 12}}\n";
  const std::string split =
      "schema: rackwright/v1\n"
      "workload: {generator: {input_tokens: {quantiles: {p0: 20, p100: 9000}}, output_tokens: {quantiles: {p0: 2, p100: 300}}}, rate: 20 /s, requests: 100}\n"
      "facility: {racks: [{name: a, rack: hgx-h100-air}]}\n"
      "deployment:\n"
      "  - {pool: chat, model: llama-3.1-8b, on: \"a[0..3]\", context_parallel: 4, scheduler: {max_sequences: 32, token_budget: 2048}}\n";
  for (const std::string& text : {experts, split}) {
    const test::ScenarioRun jumped = test::run_scenario(text);
    const test::ScenarioRun walked = test::run_scenario(text, serving::Jumping::off);
    CHECK(jumped.summary_json == walked.summary_json);
    CHECK(jumped.requests_csv == walked.requests_csv);
    CHECK(jumped.timeline_csv == walked.timeline_csv);
  }
}
