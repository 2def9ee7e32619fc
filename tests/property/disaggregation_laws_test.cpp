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
      pick("layerwise", "after", "{when: layerwise, bandwidth: 2 GB/s}", "{initiative: pull}", "{initiative: pull, bandwidth: 2 GB/s}",
           "{when: after, copies: 8, wait_per_copy: 2 ms}", "{copies: 8, wait_per_copy: 2 ms}"),
      draw() % 2 == 0 ? "" : "  - {pool: m, model: llama-3.1-8b, on: \"a[6]\"}\n", pick("round-robin", "least-outstanding"));
}

}  // namespace

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
  for (const metrics::RequestOutcome& request : jumped.requests) {
    if (request.outcome != metrics::Outcome::completed) continue;
    CHECK(request.kv_exposed.has_value() == (request.pool == 1));
    if (!request.kv_exposed) continue;
    ++moved;
    // The second token comes a step after the KV.
    CHECK(request.longest_gap > *request.kv_exposed);
  }
  CHECK(moved == (jumped.summary.network && jumped.summary.network->kv ? jumped.summary.network->kv->requests : 0));

  // What is not a pool's: 2.2 kW of node and the idle devices.
  double pools_j = 0;
  for (const results::PoolSummary& pool : jumped.summary.pools) pools_j += *pool.energy_j;
  const int idle_devices = 8 - 6 - (jumped.summary.pools.size() == 3 ? 1 : 0);
  CHECK(jumped.summary.it->energy_j == Approx(pools_j + jumped.summary.duration_s * (2200 + 115 * idle_devices)).epsilon(1e-2));
}
