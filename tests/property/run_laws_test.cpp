#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "models/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;
using test::run_scenario;
using test::ScenarioRun;

namespace {

/// A small scenario drawn from a seed: policies, sizes, loads and shapes of every kind, tight memory among them.
std::string random_scenario(std::uint64_t seed) {
  RandomStream draw(seed, "tests", "scenario");
  const auto pick = [&](auto... values) {
    const std::vector<std::string> all{values...};
    return all[draw() % all.size()];
  };
  const std::string policy = pick("vllm-v1", "prefill-first", "sarathi", "orca", "static", "sglang");
  return fmt::format(
      "schema: rackwright/v1\n"
      "seed: {}\n"
      "workload:\n"
      "  generator: {{arrivals: {}, input_tokens: {{quantiles: {{p0: 1, p50: {}, p100: 3000}}}}, output_tokens: {{quantiles: {{p0: 1, p50: 40, p100: {}}}}}}}\n"
      "  rate: {} /s\n"
      "  requests: {}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: one, model: {}, on: \"a[0..3]\", tensor_parallel: {}, pipeline_parallel: {}, scheduler: {{policy: {}, max_sequences: {}}}, kv_cache: {{blocks: {}{}}}}}\n"
      "  - {{pool: two, model: {}, on: \"a[4..5]\", scheduler: {{policy: {}}}{}}}\n"
      "routing: {}\n"
      "slo: {{ttft_p99: 200 ms, e2e_p99: 5 s}}\n",
      seed, pick("poisson", "constant", "{process: gamma, cv: 3}", "{process: on-off, on: 2 s, off: 3 s}"), 50 + draw() % 800,
      50 + draw() % 400, 1 + draw() % 60, 30 + draw() % 90, "llama-3.1-8b", 1 << (draw() % 2), pick("1", "1", "2"), policy, 2 + draw() % 30,
      300 + draw() % 800, pick("", "", ", preemption: swap, tiers: [{tier: host, capacity: 2 GB, bandwidth: 5 GB/s}]"), "llama-3.1-8b", policy,
      pick("", ", scaling: {target_outstanding: 5, period: 500 ms, down_window: 1 s, load_bandwidth: 50 GB/s}"), pick("round-robin", "least-outstanding"));
}

void check_conservation(const ScenarioRun& run) {
  const results::RequestCounts& counts = run.summary.requests;
  // Requests in = completed + rejected + failed + cancelled + in flight.
  CHECK(counts.total == counts.completed + counts.rejected + counts.failed + counts.cancelled + counts.in_flight);
  CHECK(static_cast<std::int64_t>(run.requests.size()) == counts.total - counts.in_flight);
  for (const metrics::RequestOutcome& request : run.requests) {
    if (request.outcome != metrics::Outcome::completed) continue;
    // No request is served before it arrives, or finishes before it starts.
    CHECK(request.arrival <= request.scheduled);
    CHECK(request.scheduled < request.first_token);
    CHECK(request.first_token <= request.last_token);
  }
  for (const results::PoolSummary& pool : run.summary.pools) CHECK(pool.utilization <= 1 + 1e-12);
  REQUIRE(run.summary.it);
  // Seven idle devices of 115 W and 2.2 kW of node draw at least this over the whole run; one of a scaled pool may be off.
  CHECK(run.summary.it->energy_j >= run.summary.duration_s * (7 * 115 + 2200) * (1 - 1e-9));
  CHECK(run.summary.it->peak_w >= run.summary.it->mean_w);
  // A board may pass its 700 W for the length of a prompt, and holds its mean to it.
  if (run.summary.duration_s > 1) CHECK(run.summary.it->mean_w <= 8 * 700 + 2200);
  if (run.summary.provenance) {
    double shares = 0;
    for (const double share : *run.summary.provenance) shares += share;
    CHECK(shares == Approx(1).epsilon(1e-6));
  }
}

}  // namespace

TEST_CASE("Jumping over quiet stretches gives the bytes of a walk, and both conserve what goes in") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const std::string scenario = random_scenario(seed);
    const ScenarioRun jump = run_scenario(scenario, serving::Jumping::on);
    const ScenarioRun walk = run_scenario(scenario, serving::Jumping::off);
    REQUIRE(jump.summary_json == walk.summary_json);
    REQUIRE(jump.requests_csv == walk.requests_csv);
    REQUIRE(jump.timeline_csv == walk.timeline_csv);
    check_conservation(jump);
  }
}

TEST_CASE("Steps that were jumped over are those of a walk, one by one, and add up to what the summary says") {
  // (instance, start, end, sequences) of each step of a run, by instance.
  const auto single = [](const ScenarioRun& run) {
    std::vector<std::tuple<std::uint32_t, SimTime, SimTime, std::int32_t, std::int32_t>> all;
    for (const results::StepStretch& s : run.steps) {
      for (std::int64_t k = 0; k < s.steps; ++k) all.emplace_back(s.instance, s.boundary(k), s.boundary(k + 1), s.decode_sequences, s.prefill_tokens);
    }
    std::ranges::sort(all);
    return all;
  };
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const ScenarioRun jump = run_scenario(random_scenario(seed), serving::Jumping::on);
    const auto steps = single(jump);
    REQUIRE(steps == single(run_scenario(random_scenario(seed), serving::Jumping::off)));
    std::int64_t counted = 0;
    double busy_s = 0;
    for (const results::PoolSummary& pool : jump.summary.pools) counted += pool.steps, busy_s += pool.busy_s;
    CHECK(static_cast<std::int64_t>(steps.size()) == counted);
    double told_s = 0;
    for (const results::StepStretch& s : jump.steps) told_s += (s.end - s.start).seconds();
    CHECK(told_s == Approx(busy_s).epsilon(1e-9));
  }
}

TEST_CASE("Without preemption each output token is of a step: one from the prompt's last, the others by decoding") {
  const ScenarioRun run = run_scenario(
      "schema: rackwright/v1\n"
      "workload: {generator: azure-conversation-2023, rate: 10 /s, requests: 300}\n"
      "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
      "deployment: [{pool: chat, model: llama-3.1-8b, on: \"a[0..1]\"}]\n");
  REQUIRE(run.summary.requests.completed == 300);
  std::int64_t later_tokens = 0;
  std::int64_t prompt_tokens = 0;
  for (const metrics::RequestOutcome& r : run.requests) later_tokens += r.output_tokens - 1, prompt_tokens += r.input_tokens;
  results::StepTotals all;
  for (const results::StepStretch& s : run.steps) all += results::totals_within(s, s.start, s.end);
  CHECK(all.decode_tokens == later_tokens);
  CHECK(all.prefill_tokens == prompt_tokens);
}

TEST_CASE("A run on devices whose power nobody knows goes on without any figure of it, and says so once") {
  const std::string scenario =
      "schema: rackwright/v1\n"
      "workload: {generator: azure-conversation-2023, rate: 4 /s, duration: 5 s}\n"
      "facility: {racks: [{name: a, rack: gb200-nvl72}]}\n"
      "deployment: [{pool: chat, model: llama-3.1-8b, on: \"a[0..1]\"}, {pool: more, model: llama-3.1-8b, on: \"a[2..3]\"}]\n";
  const ScenarioRun without = run_scenario(scenario);
  CHECK(without.summary.requests.completed > 0);
  CHECK_FALSE(without.summary.it);
  for (const results::PoolSummary& pool : without.summary.pools) CHECK_FALSE(pool.energy_j);
  CHECK(without.summary_json.find("\"power\":") == std::string::npos);
  CHECK(without.summary_json.find("\"energy\":") == std::string::npos);
  CHECK(without.summary_json.find("energy_j") == std::string::npos);
  CHECK(without.timeline_csv.find("power_w") == std::string::npos);
  CHECK(std::ranges::count_if(without.summary.warnings, [](const std::string& warning) {
          return warning.find("without figures of power and energy") != std::string::npos;
        }) == 1);
  // With it the same run has them, and every time is as it was.
  const ScenarioRun with = run_scenario(scenario, serving::Jumping::on, {{"facility.racks.a.rack.node.device.power.idle", "150 W"}});
  REQUIRE(with.summary.it);
  CHECK(with.summary.it->energy_j > 0);
  CHECK(with.requests_csv == without.requests_csv);
}

TEST_CASE("The same scenario and seed give the same bytes; another seed gives others") {
  const ScenarioRun first = run_scenario(random_scenario(7));
  CHECK(first.requests_csv == run_scenario(random_scenario(7)).requests_csv);
  CHECK(first.requests_csv != run_scenario(random_scenario(8)).requests_csv);
}

TEST_CASE("A time limit ends a run there, and what is in flight is counted") {
  const ScenarioRun run = run_scenario(random_scenario(3) + "limits: {simulated_time: 500 ms}\n");
  CHECK(run.summary.status == results::RunStatus::complete);
  CHECK(run.summary.requests.in_flight > 0);
  CHECK(run.summary.duration_s <= 0.5);
  check_conservation(run);
}

TEST_CASE("Warm-up and cool-down leave the requests that arrive between them, and change nothing else") {
  const std::string scenario =
      "schema: rackwright/v1\n"
      "workload: {generator: azure-conversation-2023, rate: 4 /s, duration: 60 s}\n"
      "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
      "deployment: [{pool: chat, model: llama-3.1-8b, on: a}]\n";
  const ScenarioRun whole = run_scenario(scenario);
  const ScenarioRun clipped = run_scenario(scenario + "output: {window: {warm_up: 10 s, cool_down: 15 s}}\n");

  const SimTime last = std::ranges::max(whole.requests, {}, &metrics::RequestOutcome::arrival).arrival;
  const auto inside = std::ranges::count_if(whole.requests, [&](const metrics::RequestOutcome& request) {
    return request.arrival >= sim_time(10) && request.arrival < last - sim_time(15);
  });
  REQUIRE(clipped.summary.window.has_value());
  CHECK(clipped.summary.window->requests == inside);
  CHECK(clipped.summary.window->to_s == (last - sim_time(15)).seconds());
  CHECK(clipped.requests_csv == whole.requests_csv);
}

TEST_CASE("A scaled pool draws the power of devices that are off, and its figures are of those that are on") {
  // 20 s of load and 40 s of silence, in turn. Off devices draw nothing instead of 115 W.
  const std::string text =
      "schema: rackwright/v1\n"
      "workload:\n"
      "  generator: {arrivals: {process: on-off, on: 20 s, off: 40 s}, input_tokens: 500, output_tokens: 200}\n"
      "  rate: 20 /s\n"
      "  duration: 5 min\n"
      "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
      "deployment:\n"
      "  - {pool: chat, model: llama-3.1-8b, on: a";
  const std::string scaling = ", scaling: {target_outstanding: 20, period: 1 s, down_window: 5 s, load_bandwidth: 16 GB/s";
  const ScenarioRun always = run_scenario(text + "}\n");
  const ScenarioRun scaled = run_scenario(text + scaling + "}}\n");
  const ScenarioRun idle_off = run_scenario(text + scaling + ", off_power: 115 W}}\n");
  REQUIRE(scaled.summary.pools[0].mean_replicas);
  const double replicas = *scaled.summary.pools[0].mean_replicas;
  CHECK(replicas > 1);
  CHECK(replicas < 8);
  CHECK_FALSE(always.summary.pools[0].mean_replicas);
  // What is saved is the idle power of those that were off.
  const double off_j = (8 - replicas) * scaled.summary.duration_s * 115;
  CHECK(idle_off.summary.it->energy_j - scaled.summary.it->energy_j == Approx(off_j).epsilon(1e-9));
  CHECK(scaled.summary.pools[0].utilization == Approx(scaled.summary.pools[0].busy_s / (replicas * scaled.summary.duration_s)).epsilon(1e-9));
  CHECK(scaled.summary.it->energy_j < always.summary.it->energy_j);
  CHECK(scaled.timeline_csv.find("pools.chat.replicas") != std::string::npos);
  CHECK(scaled.summary.ttft_s->p99 >= always.summary.ttft_s->p99);
}
