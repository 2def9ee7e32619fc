#include <fmt/format.h>

#include "models/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;
using test::run_scenario;
using test::ScenarioRun;

namespace {

/// Prefill and decode pools of all sizes, transfers of every kind, tight memory among them.
std::string random_split(std::uint64_t seed) {
  RandomStream draw(seed, "tests", "split");
  const auto pick = [&](auto... values) {
    const std::vector<std::string> all{values...};
    return all[draw() % all.size()];
  };
  return fmt::format(
      "schema: rackwright/v1\n"
      "seed: {}\n"
      "workload:\n"
      "  generator: {{arrivals: {}, input_tokens: {{quantiles: {{p0: 1, p50: {}, p100: 3000}}}}, output_tokens: {{quantiles: {{p0: 1, p50: 40, p100: {}}}}}}}\n"
      "  rate: {} /s\n"
      "  requests: {}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: p, role: prefill, model: llama-3.1-8b, on: \"a[0..3]\", tensor_parallel: {}, scheduler: {{policy: {}}}, kv_cache: {{blocks: {}}}}}\n"
      "  - {{pool: d, role: decode, model: llama-3.1-8b, on: \"a[4..5]\", scheduler: {{policy: {}, max_sequences: {}}}, kv_cache: {{blocks: {}}}, kv_transfer: {}}}\n"
      "{}"
      "routing: {}\n",
      seed, pick("poisson", "constant", "{process: gamma, cv: 3}"), 50 + draw() % 800, 50 + draw() % 400, 1 + draw() % 60, 30 + draw() % 90,
      1 << (draw() % 3), pick("vllm-v1", "sarathi", "prefill-first"), 300 + draw() % 800, pick("vllm-v1", "sarathi", "sglang", "orca"),
      2 + draw() % 30, 300 + draw() % 800,
      pick("layerwise", "after", "{mechanism: tma}", "{when: layerwise, bandwidth: 2 GB/s}", "{local_prompts_below: 300, spill_above: 1000, bandwidth: 20 GB/s}", "{initiative: pull}", "{initiative: pull, bandwidth: 2 GB/s}",
           "{when: after, copies: 8, wait_per_copy: 2 ms}", "{copies: 8, wait_per_copy: 2 ms}"),
      draw() % 2 == 0 ? "" : "  - {pool: m, model: llama-3.1-8b, on: \"a[6]\"}\n", pick("round-robin", "least-outstanding"));
}

/// Drafts of every kind, accepted seldom or often.
std::string random_speculation(std::uint64_t seed) {
  RandomStream draw(seed, "tests", "speculation");
  const auto pick = [&](auto... values) {
    const std::vector<std::string> all{values...};
    return all[draw() % all.size()];
  };
  const bool has_pool = draw() % 2 == 0;
  const std::string draft = has_pool ? pick("draft_pool: draft", "draft_pool: draft, mode: parallel", "draft_pool: draft, payload: probabilities")
                                     : pick("draft: qwen3-0.6b", "method: n-gram");
  return fmt::format(
      "schema: rackwright/v1\n"
      "seed: {}\n"
      "workload:\n"
      "  generator: {{input_tokens: {{quantiles: {{p0: 1, p50: {}, p100: 2000}}}}, output_tokens: {{quantiles: {{p0: 1, p50: 40, p100: {}}}}}}}\n"
      "  rate: {} /s\n"
      "  requests: {}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: chat, model: qwen3-8b, on: \"a[0..1]\", scheduler: {{policy: {}, max_sequences: {}}}, kv_cache: {{blocks: {}}}, "
      "speculation: {{tokens: {}, acceptance: {}, {}{}}}}}\n"
      "{}",
      seed, 50 + draw() % 800, 50 + draw() % 400, 1 + draw() % 40, 20 + draw() % 60, pick("vllm-v1", "sarathi", "sglang", "prefill-first"), 2 + draw() % 30,
      300 + draw() % 800, 1 + draw() % 6, pick("0", "0.3", "0.8", "1"), draft, draw() % 2 == 0 ? ", acceptance_concentration: 5" : "",
      has_pool ? "  - {pool: draft, role: draft, model: qwen3-0.6b, on: \"a[2..3]\"}\n" : "");
}

/// Attention and feed-forward apart, dense and with experts, with and without a prefill pool.
std::string random_sides(std::uint64_t seed) {
  RandomStream draw(seed, "tests", "sides");
  const auto pick = [&](auto... values) {
    const std::vector<std::string> all{values...};
    return all[draw() % all.size()];
  };
  const std::string model = pick("qwen3-30b-a3b", "qwen3-8b");
  return fmt::format(
      "schema: rackwright/v1\n"
      "seed: {}\n"
      "workload:\n"
      "  generator: {{input_tokens: {{quantiles: {{p0: 1, p50: {}, p100: 2000}}}}, output_tokens: {{quantiles: {{p0: 1, p50: 40, p100: {}}}}}}}\n"
      "  rate: {} /s\n"
      "  requests: {}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: attn, role: attention, model: {}, on: \"a[0..3]\", tensor_parallel: {}, micro_batches: {}, scheduler: {{policy: {}, max_sequences: {}}}, kv_cache: {{blocks: {}}}}}\n"
      "  - {{pool: ffn, role: ffn, serves: attn, model: {}, on: \"a[4..5]\", exchange: {{latency: {}}}, expert_imbalance: {}}}\n"
      "{}",
      seed, 50 + draw() % 800, 50 + draw() % 400, 1 + draw() % 40, 20 + draw() % 60, model, 1 << (draw() % 3), 1 + draw() % 4,
      pick("vllm-v1", "sarathi", "sglang"), 8 + draw() % 100, 600 + draw() % 800, model, pick("0 s", "20 us", "200 us"), pick("1", "1.5"),
      draw() % 2 == 0 ? fmt::format("  - {{pool: p, role: prefill, model: {}, on: \"a[6]\"}}\n", model) : "");
}

void check_walk_and_requests(const std::string& text) {
  const ScenarioRun jumped = run_scenario(text);
  const ScenarioRun walked = run_scenario(text, serving::Jumping::off);
  CHECK(jumped.summary_json == walked.summary_json);
  CHECK(jumped.requests_csv == walked.requests_csv);
  CHECK(jumped.summary.status == results::RunStatus::complete);
  CHECK(jumped.summary.requests.total == jumped.summary.requests.completed + jumped.summary.requests.rejected);
  for (const results::PoolSummary& pool : jumped.summary.pools) CHECK(pool.utilization <= 1 + 1e-12);
  CHECK(jumped.summary.it->peak_w <= 8 * 700 + 2200 + 1e-6);
}

}  // namespace

TEST_CASE("Speculation: a jump gives the bytes of a walk, and no request, token or watt is lost") {
  const std::uint64_t seed = GENERATE(range(1, 16));
  CAPTURE(seed);
  check_walk_and_requests(random_speculation(seed));
}

TEST_CASE("Attention and feed-forward apart: a jump gives the bytes of a walk, and no request, token or watt is lost") {
  const std::uint64_t seed = GENERATE(range(1, 16));
  CAPTURE(seed);
  check_walk_and_requests(random_sides(seed));
}

TEST_CASE("Prefill and decode apart: a jump gives the bytes of a walk, requests are conserved, and pools draw what devices draw") {
  const std::uint64_t seed = GENERATE(range(1, 31));
  CAPTURE(seed);
  const std::string text = random_split(seed);
  const ScenarioRun jumped = run_scenario(text);
  const ScenarioRun walked = run_scenario(text, serving::Jumping::off);
  CHECK(jumped.summary_json == walked.summary_json);
  CHECK(jumped.requests_csv == walked.requests_csv);
  CHECK(jumped.timeline_csv == walked.timeline_csv);

  CHECK(jumped.summary.status == results::RunStatus::complete);
  const results::RequestCounts& counts = jumped.summary.requests;
  CHECK(counts.total == counts.completed + counts.rejected);
  std::int64_t moved = 0;
  std::int64_t moved_tokens = 0;
  for (const metrics::RequestOutcome& request : jumped.requests) {
    if (request.outcome != metrics::Outcome::completed) continue;
    CHECK((request.pool == 1 || !request.kv_exposed));
    if (!request.kv_exposed) continue;
    ++moved;
    moved_tokens += request.input_tokens;
    // The second token comes a step after the KV.
    CHECK(request.longest_gap > *request.kv_exposed);
  }
  CHECK(moved == (jumped.summary.network && jumped.summary.network->kv ? jumped.summary.network->kv->requests : 0));

  // 131,072 bytes a token, once each, however often flows under the prompt were cut short.
  if (jumped.summary.network && jumped.summary.network->bytes)
    CHECK(*jumped.summary.network->bytes == Approx(131'072.0 * static_cast<double>(moved_tokens)).epsilon(1e-9));

  // What is not a pool's: 2.2 kW of node and the idle devices.
  double pools_j = 0;
  for (const results::PoolSummary& pool : jumped.summary.pools) pools_j += *pool.energy_j;
  const int idle_devices = 8 - 6 - (jumped.summary.pools.size() == 3 ? 1 : 0);
  CHECK(jumped.summary.it->energy_j == Approx(pools_j + jumped.summary.duration_s * (2200 + 115 * idle_devices)).epsilon(1e-2));
}
