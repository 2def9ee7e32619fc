#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

// Mistakes that other simulators of serving were reported for, each as a law that must hold here.

using namespace rackwright;
using scenarios::Setting;
using test::run_scenario;
using test::ScenarioRun;

namespace {

std::string scenario(const std::string& workload, const std::string& pool) {
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload: {{generator: {}}}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: chat, model: llama-3.1-8b, on: \"a[0]\"{}}}\n",
      workload, pool);
}

ScenarioRun lone_request(const std::string& device) {
  return run_scenario(scenario("{input_tokens: 2000, output_tokens: 100}, requests: 1, rate: 1 /s", ""), serving::Jumping::on,
                      {{"facility.racks.a.rack.node.device", device}});
}

}  // namespace

TEST_CASE("A memory that is too small for a request turns it away at once; nobody loops or waits for ever") {
  const std::string policy = GENERATE("vllm-v1", "prefill-first", "sarathi", "orca", "static", "sglang");
  CAPTURE(policy);
  // 40 blocks of 16 tokens hold 640: requests of 700 tokens never fit, those of 500 do.
  const std::string pool = fmt::format(", scheduler: {}, kv_cache: {{blocks: 40}}", policy);
  const ScenarioRun none = run_scenario(scenario("{input_tokens: 600, output_tokens: 100}, requests: 20, rate: 10 /s", pool));
  CHECK(none.summary.status == results::RunStatus::complete);
  CHECK(none.summary.requests.rejected == 20);
  CHECK(none.requests.front().cause == metrics::Cause::kv_too_small);
  const ScenarioRun one_by_one = run_scenario(scenario("{input_tokens: 400, output_tokens: 100}, requests: 20, rate: 100 /s", pool));
  CHECK(one_by_one.summary.requests.completed == 20);
}

TEST_CASE("More of one resource never slows a lone request down") {
  const ScenarioRun base = lone_request("{preset: h200-sxm, profile: none}");
  for (const char* device : {"{preset: h200-sxm, profile: none, memory: {bandwidth: 9.6 TB/s}}", "{preset: h200-sxm, profile: none, peak: {bf16: 2000 TFLOP/s}}"}) {
    const ScenarioRun more = lone_request(device);
    CHECK(more.summary.ttft_s->mean <= base.summary.ttft_s->mean);
    CHECK(more.summary.tpot_s->mean <= base.summary.tpot_s->mean);
    CHECK(more.summary.e2e_s->mean < base.summary.e2e_s->mean);
  }
}

TEST_CASE("A lower power limit never raises what a device draws") {
  double before_w = 1e9;
  for (const char* limit : {"700 W", "500 W", "350 W"}) {
    const ScenarioRun run = lone_request(fmt::format("{{preset: h200-sxm, profile: none, power: {{limit: {}}}}}", limit));
    CHECK(run.summary.it->peak_w <= before_w);
    before_w = run.summary.it->peak_w;
  }
}

TEST_CASE("Where memory is plenty, neither the size of its blocks nor a cache that finds nothing changes a time") {
  const std::string workload = "{input_tokens: {quantiles: {p0: 1, p50: 300, p100: 2000}}, output_tokens: {quantiles: {p0: 1, p50: 50, p100: 300}}}, requests: 150, rate: 20 /s";
  const auto latencies = [&](const std::string& kv_cache) {
    const ScenarioRun run = run_scenario(scenario(workload, ", kv_cache: " + kv_cache));
    return std::tuple(run.summary.ttft_s->p99, run.summary.e2e_s->mean, run.summary.itl_s->mean, run.summary.duration_s);
  };
  const auto base = latencies("{block_tokens: 16}");
  CHECK(latencies("{block_tokens: 1}") == base);
  CHECK(latencies("{block_tokens: 256}") == base);
  CHECK(latencies("{prefix_caching: false}") == base);
  CHECK(latencies("{tiers: [{tier: host, capacity: 100 GB}]}") == base);
}

TEST_CASE("A unit slip is an error: GB/s and Gb/s differ by eight, and a bare number has no unit") {
  const auto device = [](const char* bandwidth) { return fmt::format("{{preset: h200-sxm, profile: none, memory: {{bandwidth: {}}}}}", bandwidth); };
  const ScenarioRun bytes = lone_request(device("600 GB/s"));
  const ScenarioRun bits = lone_request(device("4800 Gb/s"));
  CHECK(bytes.requests_csv == bits.requests_csv);
  CHECK(lone_request(device("600 Gb/s")).summary.e2e_s->mean > 4 * bytes.summary.e2e_s->mean);
  CHECK_THROWS_WITH(lone_request(device("600")), test::contains("unit"));
  CHECK_THROWS_WITH(lone_request(device("600 GB")), test::contains("bandwidth"));
}

TEST_CASE("Prompts that ride whole with the decodes come first and stall them; in chunks they do neither") {
  // Sarathi-Serve, table 4: hybrid batches without chunks have the earlier first tokens and several times the longest gaps.
  const auto run_with = [](const char* scheduler) {
    return run_scenario(scenario("{input_tokens: {quantiles: {p0: 500, p50: 3000, p100: 16000}}, output_tokens: {quantiles: {p0: 20, p50: 200, p100: 600}}}, requests: 300, rate: 4 /s",
                                 fmt::format(", scheduler: {}", scheduler)));
  };
  const ScenarioRun hybrid = run_with("{policy: sarathi, token_budget: 20000}");
  const ScenarioRun both = run_with("{policy: sarathi, token_budget: 512}");
  const ScenarioRun prompts_first = run_with("{policy: prefill-first, token_budget: 20000}");
  CHECK(hybrid.summary.ttft_s->p50 < both.summary.ttft_s->p50);
  CHECK(hybrid.summary.itl_s->p99 > 2 * both.summary.itl_s->p99);
  CHECK(prompts_first.summary.itl_s->p99 > 2 * both.summary.itl_s->p99);
}
