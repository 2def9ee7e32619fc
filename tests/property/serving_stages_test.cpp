#include <algorithm>
#include <tuple>

#include "models/base/random.h"
#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

// Tools, speech, hidden reasoning, several completions and own acceptance, under random loads: jumping is exact for them
// too, and nothing is lost.

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

struct Scenario {
  ServingSpec spec;
  std::vector<traces::Request> requests;
  std::vector<std::string> names{"", "shell", "build", "hasty"};
};

Scenario random_scenario(std::uint64_t seed) {
  RandomStream random(seed, "stages", "scenario");
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random.uniform() * static_cast<double>(n)); };
  Scenario scenario;
  ServingSpec& spec = scenario.spec;
  const std::vector<std::string> policies{"vllm-v1", "prefill-first", "sarathi", "orca", "static", "sglang"};
  spec.router = policies::find_router("least-outstanding")->make({});
  auto cost = std::make_shared<AffineCostModel>();
  cost->base = ms + below(ms);
  cost->per_prefill_token = below(ms / 50);
  cost->per_sequence = below(ms / 10);
  cost->per_context_token = below(ms / 1000);
  PoolSpec pool;
  pool.name = "chat";
  pool.replicas = 1 + static_cast<int>(below(2));
  pool.instance = {policies::find_scheduler(policies[static_cast<std::size_t>(below(6))])->make({}), cost, 30 + below(200), 16,
                   below(2) == 0 ? PrefixCaching::on : PrefixCaching::off};
  const bool speculates = below(3) == 0;
  if (speculates) pool.instance.speculation = std::make_shared<Speculation>(seed, 3, 0.6);
  const bool speaks = below(2) == 0;
  spec.pools.push_back(pool);
  spec.stations.push_back({"cpu", 1 + static_cast<int>(below(2)), 2, 1, 1 + random.uniform(), 50, 500});
  spec.tools = {{"shell", 0, 1, 0.3}, {"build", 0, 2, 0.7}};
  spec.sample_rule = below(2) == 0 ? SampleRule::all : SampleRule::first;
  spec.classes = {{"hasty", 0, SimTime::max(), {20 * ms + below(200 * ms)}}};
  if (speaks) {
    VoiceSpec& voice = spec.voice.emplace();
    voice.network_delay = {below(5 * ms)};
    voice.recognition = VoiceSpec::Stage{0, traces::QuantileTable({{0, 0.001}, {1, 0.02}}), 0};
    voice.synthesis = {0, traces::QuantileTable({{0, 0.001}, {1, 0.01}}), 0.1};
    voice.sentence_tokens = 1 + static_cast<std::int32_t>(below(9));
    voice.token_audio = {ms + below(5 * ms)};
    voice.seed = seed;
  }
  std::int64_t arrival = 0;
  for (int i = 0; i < 30; ++i) {
    arrival += below(15 * ms);
    traces::Request made = request(arrival, static_cast<std::int32_t>(1 + below(150)), static_cast<std::int32_t>(1 + below(60)));
    made.session = 1 + static_cast<std::uint64_t>(below(8));
    if (i > 0 && below(2) == 0) {
      made.parent = static_cast<std::uint64_t>(below(i));
      made.think_time.ps = below(20 * ms);
      for (std::int32_t round = 0, left = static_cast<std::int32_t>(below(4)); left > 0; --left, round += static_cast<std::int32_t>(below(2)))
        made.tools.push_back({static_cast<std::uint32_t>(1 + below(2)), {below(30 * ms)}, round});
    }
    if (below(3) == 0) made.reasoning_tokens = static_cast<std::int32_t>(below(made.output_tokens));
    if (below(4) == 0) made.acceptance = random.uniform();
    if (!speaks && below(4) == 0)
      for (std::int64_t others = below(4); others > 0; --others) made.other_samples.push_back(static_cast<std::int32_t>(1 + below(60)));
    if (below(8) == 0) made.request_class = 3;
    scenario.requests.push_back(made);
  }
  return scenario;
}

ServingRun run(const Scenario& scenario, Jumping jumping) {
  ServingSpec spec = scenario.spec;
  spec.jumping = jumping;
  return run_serving(spec, scenario.requests, scenario.names);
}

auto fields(const metrics::RequestOutcome& r) {
  const results::SpokenTurn turn = r.turn.value_or(results::SpokenTurn{});
  return std::make_tuple(r.id, r.outcome, r.cause, r.arrival, r.scheduled, r.first_token, r.last_token, r.longest_gap, r.output_tokens, r.other_tokens,
                         r.first_visible.value_or(SimTime{-1}), r.tool_time, r.tool_wait,
                         std::make_tuple(turn.start, turn.first_audio, turn.longest_gap, turn.end, turn.recognition, turn.synthesis));
}
auto fields(const metrics::StationUse& u) { return std::make_tuple(u.device, u.start, u.end, u.busy_workers, u.jobs, u.memory_fraction, u.power_mw); }
auto fields(const metrics::StationJob& j) { return std::make_tuple(j.station, j.queued, j.started, j.ended); }
auto fields(const metrics::Stretch& s) {
  return std::make_tuple(s.instance, s.start, s.end, s.steps, s.cost.duration, s.decode_sequences, s.prefill_tokens, s.waiting, s.kv_blocks_used);
}

template <class Record>
bool same(const std::vector<Record>& a, const std::vector<Record>& b) {
  return std::ranges::equal(a, b, [](const Record& x, const Record& y) { return fields(x) == fields(y); });
}

}  // namespace

TEST_CASE("Jumping changes no request, no job, no use of a station and no stretch, in value or order") {
  const std::uint64_t seed = GENERATE(range(1, 601));
  CAPTURE(seed);
  const Scenario scenario = random_scenario(seed);
  const ServingRun jumped = run(scenario, Jumping::on);
  const ServingRun walked = run(scenario, Jumping::off);
  CHECK(same(jumped.observer.requests, walked.observer.requests));
  CHECK(same(jumped.observer.jobs, walked.observer.jobs));
  CHECK(same(jumped.observer.uses, walked.observer.uses));
  CHECK(same(jumped.observer.stretches, walked.observer.stretches));
}

TEST_CASE("Every request leaves once, with all its tokens, after its tools and before its speech ends") {
  const std::uint64_t seed = GENERATE(range(1, 301));
  CAPTURE(seed);
  const Scenario scenario = random_scenario(seed);
  const ServingRun all = run(scenario, Jumping::on);
  CHECK_FALSE(all.stall);
  CHECK(all.counts.total == scenario.requests.size());
  CHECK(all.counts.in_flight == 0);
  CHECK(all.observer.requests.size() == scenario.requests.size());
  SimTime work;
  for (const metrics::StationJob& job : all.observer.jobs) {
    CHECK(job.queued <= job.started);
    work += job.ended - job.started;
  }
  for (const metrics::RequestOutcome& done : all.observer.requests) {
    if (done.outcome != metrics::Outcome::completed) continue;
    const traces::Request& asked = scenario.requests[done.id];
    std::vector<std::int32_t> lengths = asked.other_samples;
    lengths.push_back(asked.output_tokens);
    CHECK(std::ranges::find(lengths, done.output_tokens) != lengths.end());
    if (asked.other_samples.empty()) CHECK(done.other_tokens == 0);
    CHECK(done.first_token <= done.last_token);
    if (asked.reasoning_tokens > 0 && asked.other_samples.empty()) {
      REQUIRE(done.first_visible);
      CHECK(*done.first_visible >= done.first_token);
      CHECK(*done.first_visible <= done.last_token);
    }
    CHECK(done.turn.has_value() == scenario.spec.voice.has_value());
    if (!done.turn) continue;
    CHECK(done.turn->start <= done.arrival);
    CHECK(done.turn->first_audio > done.first_token);
    CHECK(done.turn->end >= done.turn->first_audio);
  }
  // A device of two workers is busy for at least half of the work done on it, and never with more than two.
  for (const metrics::StationUse& use : all.observer.uses) CHECK((use.busy_workers >= 1 && use.busy_workers <= 2));
}
