#include <algorithm>
#include <cstring>

#include "models/base/random.h"
#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

std::int64_t draw(RandomStream& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

std::shared_ptr<const SchedulerPolicy> random_policy(RandomStream& random) {
  // Budgets below the number of decodes, a threshold, a watermark: each in half of the cases.
  policies::SchedulerOptions options;
  const bool tight = draw(random, 0, 2) == 0;
  options.token_budget = static_cast<std::int32_t>(tight ? draw(random, 2, 6) : draw(random, 8, 200));
  options.max_sequences = static_cast<std::int32_t>(draw(random, 1, 10));
  options.long_prefill_threshold = static_cast<std::int32_t>(draw(random, 0, 1) * draw(random, 1, 40));
  options.watermark_blocks = draw(random, 0, 2);
  options.chunked_prefill = draw(random, 0, 3) > 0;
  options.reserve_tokens = static_cast<std::int32_t>(draw(random, 0, 1) * draw(random, 1, 120));
  options.prompt_count = static_cast<policies::PromptCount>(draw(random, 0, 1));
  options.order = static_cast<policies::QueueOrder>(draw(random, 0, 2));
  options.context_budget = draw(random, 0, 1) * draw(random, 70, 300);
  options.steps = static_cast<policies::StepKinds>(draw(random, 0, 1));
  const auto all = policies::schedulers();
  const bool is_vllm = draw(random, 0, 1) == 0;
  return all[is_vllm ? 0 : static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(all.size()) - 1))].make(options);
}

std::shared_ptr<const Router> random_router(RandomStream& random, std::uint64_t seed) {
  const auto all = policies::routers();
  return all[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(all.size()) - 1))].make({seed, .1, 2, 1.5});
}

/// Every layer keeps all, or some keep the last tokens of a window, shorter than most requests.
llm::KvLayout random_layout(std::int32_t block, std::uint64_t seed) {
  RandomStream random(seed, "serving", "windows");
  if (draw(random, 0, 2) > 0) return block;
  std::vector<llm::KvLayout::Windowed> windowed;
  for (std::int64_t kinds = draw(random, 1, 2); kinds > 0; --kinds)
    windowed.push_back({static_cast<std::int32_t>(draw(random, 1, 3)), static_cast<std::int32_t>(draw(random, 1, 60))});
  return {block, static_cast<std::int32_t>(draw(random, 1, 2)), windowed};
}

struct Scenario {
  ServingSpec spec;
  std::vector<traces::Request> requests;
  TransportTimes transport;
  std::vector<std::pair<std::int64_t, double>> clocks;  ///< At this picosecond, every instance's SM clock.
};

// Few distinct times, small memories and short prices, so that ties, preemptions and re-pricing are common.
Scenario random_scenario(std::uint64_t seed) {
  RandomStream random(seed, "serving", "jumping");
  Scenario made;
  AffineCostModel cost;
  const std::int64_t tick = draw(random, 0, 1) == 0 ? ms : 1;  // Boundaries and arrivals coincide under the first.
  cost.base = draw(random, 0, 1) == 0 ? ms : draw(random, ms / 2, 2 * ms);
  cost.per_prefill_token = draw(random, 0, 1) * draw(random, 1, ms / 100);
  cost.per_sequence = draw(random, 0, 1) * draw(random, 1, ms / 10);
  cost.per_context_token = draw(random, 0, 1) * draw(random, 1, ms / 1000);
  cost.piece_steps = draw(random, 0, 1) == 0 ? 1'000'000 : draw(random, 1, 7);

  if (draw(random, 0, 1) == 0)  // A power limit that half of these batches pass.
    cost.control = power::ClockControl{.limit_mw = draw(random, 1'000, 6'000), .idle_mw = 100, .period = {draw(random, 1, 30) * ms / 2},
                                       .min_clock = 0.3, .clock_step = 0.05};

  PoolSpec pool;
  pool.name = "chat";
  pool.replicas = static_cast<int>(draw(random, 1, 3));
  pool.instance.policy = random_policy(random);
  pool.instance.cost = std::make_shared<AffineCostModel>(cost);
  const auto block = static_cast<std::int32_t>(draw(random, 1, 16));
  pool.instance.kv_layout = random_layout(block, seed);
  if (draw(random, 0, 3) == 0) pool.instance.stage_layers.assign(static_cast<std::size_t>(draw(random, 2, 4)), static_cast<int>(draw(random, 1, 3)));
  pool.instance.prefix_caching = static_cast<PrefixCaching>(draw(random, 0, 1));
  if (draw(random, 0, 1) == 0) {
    for (std::int64_t i = draw(random, 1, 2); i > 0; --i)
      pool.instance.kv_tiers.push_back({"tier", draw(random, 20, 600), 1e3 * static_cast<double>(draw(random, 1, 50)), SimTime{draw(random, 0, 1) * ms},
                                        draw(random, 0, 1) == 0 ? TierScope::pool : TierScope::instance});
    pool.instance.preemption = static_cast<Preemption>(draw(random, 0, 1));
  }
  pool.instance.kv_blocks = (draw(random, 60, 400) / block + 3) * pool.instance.kv_layout.groups();
  if (draw(random, 0, 3) == 0)
    pool.scaling = {0.5 * static_cast<double>(draw(random, 1, 6)), 1, SimTime{draw(random, 1, 10) * ms}, SimTime{draw(random, 0, 30) * ms},
                    SimTime{draw(random, 0, 10) * ms}};
  if (draw(random, 0, 3) == 0) pool.admission.max_waiting = static_cast<int>(draw(random, 1, 6));
  if (draw(random, 0, 3) == 0) pool.admission.deadline = DeadlineRule::estimate;
  if (draw(random, 0, 3) == 0) {
    const double acceptance = 0.1 * static_cast<double>(draw(random, 0, 10));
    pool.instance.speculation = std::make_shared<Speculation>(seed, static_cast<int>(draw(random, 1, 5)), acceptance, 10);
  }
  made.spec.pools.push_back(pool);
  if (draw(random, 0, 2) == 0) {
    made.spec.pools.push_back(made.spec.pools[0]);
    made.spec.pools[0].instance.role = Role::prefill;
    made.spec.pools[1].instance.role = Role::decode;
    made.spec.pools[1].instance.policy = random_policy(random);
    made.spec.pools[1].instance.kv_blocks += draw(random, 0, 20);
    KvTransferSpec& transfer = made.spec.pools[1].kv_transfer;
    transfer.bytes.per_token = 1;
    transfer.initiative = static_cast<KvTransferSpec::Initiative>(draw(random, 0, 1));
    transfer.when = static_cast<KvTransferSpec::When>(draw(random, 0, 1));
    transfer.layers = static_cast<int>(draw(random, 1, 4));
    transfer.latency.ps = draw(random, 0, 2) * ms;
    transfer.copies = static_cast<int>(draw(random, 1, 3));
    transfer.local_prompt_tokens = static_cast<std::int32_t>(draw(random, 0, 1) * draw(random, 0, 40));
    if (draw(random, 0, 2) == 0) transfer.spill_tokens = draw(random, 0, 150);
    transfer.wait_per_copy.ps = draw(random, 0, 1) * draw(random, 0, ms);
    made.spec.decode_router = random_router(random, seed);
    made.transport = {1e-3 * static_cast<double>(draw(random, 0, 3)), draw(random, 0, 1) == 0 ? 1e3 : 1e5};
  }
  made.spec.router = random_router(random, seed);
  made.spec.classes = {{"hasty", 0, SimTime::max(), {draw(random, 1, 40) * ms}}, {"late", 3}, {"urgent", -2, {20 * ms}}};

  // Hashes of a block, of two blocks, or of half a block where that can be.
  const std::int64_t shape = draw(random, 0, 2);
  const std::int32_t hash_tokens = shape == 0 ? block : shape == 1 ? 2 * block : block % 2 == 0 ? block / 2 : block;

  const std::int64_t count = draw(random, 1, 40);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    at += draw(random, 0, 1) * draw(random, 0, 12 * ms / tick) * tick;
    traces::Request made_request = request(at, static_cast<std::int32_t>(draw(random, 1, 60)), static_cast<std::int32_t>(draw(random, 1, 40)));
    made_request.request_class = static_cast<std::uint32_t>(std::max<std::int64_t>(draw(random, -3, 3), 0));
    made_request.session = static_cast<std::uint32_t>(draw(random, 0, 3));
    if (made_request.session != 0 && i > 0 && made.requests.back().session != 0 && draw(random, 0, 1) == 0) {
      made_request.parent = static_cast<std::uint64_t>(i - 1);
      made_request.think_time.ps = draw(random, 0, 10 * ms / tick) * tick;
    }
    made_request.block_tokens = hash_tokens;
    // Prompts of a family are equal up to a random place, and their own from there.
    const std::int64_t family = draw(random, 0, 2);
    const std::int64_t common = draw(random, 0, 60 / hash_tokens);
    for (std::int64_t j = 0; j < (made_request.input_tokens + hash_tokens - 1) / hash_tokens; ++j)
      made_request.block_hashes.push_back(static_cast<std::uint64_t>(j < common ? 1'000 * family + j : 10'000 + 100 * i + j));
    made.requests.push_back(made_request);
  }
  for (std::int64_t i = draw(random, -3, 4); i > 0; --i)
    made.clocks.emplace_back(draw(random, 0, 200 * ms / tick) * tick, 0.4 + 0.1 * static_cast<double>(draw(random, 0, 6)));
  return made;
}

struct ClockChanges final : engine::EventHandler {
  ServingSystem* system = nullptr;
  std::vector<std::pair<std::int64_t, double>> changes;
  void on_event(std::uint64_t which) override {
    for (std::size_t i = 0; i < system->instance_count(); ++i) system->instance(i).set_operating_point({changes[which].second, 1});
  }
};

ServingRun run_scenario(const Scenario& scenario, Jumping jumping) {
  ServingSpec spec = scenario.spec;
  spec.jumping = jumping;
  ServingRun run;
  OracleEngine engine;
  ListSource source(scenario.requests, {"", "hasty", "late", "urgent"});
  FixedRateTransport transport(engine, scenario.transport.setup_s, scenario.transport.bytes_per_s);
  ServingSystem system(engine, spec, source, run.observer, &transport);
  ClockChanges clocks;
  clocks.system = &system;
  clocks.changes = scenario.clocks;
  for (std::size_t i = 0; i < clocks.changes.size(); ++i)
    engine.at({clocks.changes[i].first}, engine::Phase::control, 1000, clocks, i);
  system.start();
  engine.run();
  system.close();
  run.stall = system.finish();
  run.counts = system.counts();
  run.tiers = system.kv_tiers();
  return run;
}

auto fields(const results::KvTierUse& t) { return std::make_tuple(t.loaded_tokens, t.written_tokens, t.loading_s); }
auto fields(const metrics::RequestOutcome& r) {
  return std::make_tuple(r.id, r.outcome, r.cause, r.instance, r.arrival, r.scheduled, r.first_token, r.last_token, r.longest_gap,
                         r.output_tokens, r.preemptions, r.cached_input_tokens);
}
auto fields(const metrics::Stretch& s) {
  return std::make_tuple(s.instance, s.start, s.end, s.steps, s.cost.duration, s.cost.growth, s.cost.power_mw, s.sm_clock, s.decode_sequences,
                         s.prefill_sequences, s.prefill_tokens, s.waiting, s.kv_blocks_used, s.kv_tokens);
}
auto fields(const metrics::PoweredInterval& p) { return std::make_tuple(p.instance, p.start, p.end); }
auto fields(const metrics::TokenGaps& g) { return std::make_tuple(g.pool, g.start, g.first, g.growth, g.count, g.sequences); }

template <class Record>
bool same(const std::vector<Record>& a, const std::vector<Record>& b) {
  return std::ranges::equal(a, b, [](const Record& x, const Record& y) { return fields(x) == fields(y); });
}

}  // namespace

TEST_CASE("Jumping over quiet stretches changes no request, no stretch and no gap, in value or order") {
  const std::uint64_t seed = GENERATE(range(1, 1001));
  CAPTURE(seed);
  const Scenario scenario = random_scenario(seed);
  const ServingRun jumped = run_scenario(scenario, Jumping::on);
  const ServingRun walked = run_scenario(scenario, Jumping::off);
  CHECK(same(jumped.observer.requests, walked.observer.requests));
  CHECK(same(jumped.observer.stretches, walked.observer.stretches));
  CHECK(same(jumped.observer.gaps, walked.observer.gaps));
  CHECK(same(jumped.tiers, walked.tiers));
  CHECK(same(jumped.observer.powered, walked.observer.powered));
}

TEST_CASE("A power limit slows down more than a third of the scenarios that have one, and none below the lowest clock") {
  int limited = 0;
  int slowed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Scenario scenario = random_scenario(seed);
    if (!scenario.spec.pools[0].instance.cost->clock_control() || !scenario.clocks.empty()) continue;
    ++limited;
    const ServingRun run = run_scenario(scenario, Jumping::on);
    slowed += std::ranges::any_of(run.observer.stretches, [](const metrics::Stretch& s) { return s.sm_clock < 1; });
    CHECK(std::ranges::all_of(run.observer.stretches, [](const metrics::Stretch& s) { return s.sm_clock >= 0.3; }));
  }
  CHECK(limited > 20);
  CHECK(3 * slowed > limited);
}

TEST_CASE("Requests, tokens and gaps are conserved in every scenario, and nobody waits for ever") {
  const std::uint64_t seed = GENERATE(range(1, 501));
  CAPTURE(seed);
  const Scenario scenario = random_scenario(seed);
  const ServingRun run = run_scenario(scenario, Jumping::on);
  CHECK_FALSE(run.stall);
  CHECK(run.counts.total == scenario.requests.size());
  CHECK(run.counts.in_flight == 0);
  CHECK(run.counts.completed + run.counts.rejected + run.counts.cancelled == run.counts.total);

  // A request of n emitted tokens has n - 1 gaps, which add up to last - first token.
  std::int64_t gap_count = 0;
  std::int64_t gap_sum = 0;
  std::int64_t longest = 0;
  for (const metrics::TokenGaps& gap : run.observer.gaps) {
    gap_count += gap.count * gap.sequences;
    gap_sum += gap.sequences * (gap.count * gap.first.ps + gap.growth.ps * gap.count * (gap.count - 1) / 2);
    longest = std::max(longest, gap.first.ps + (gap.count - 1) * gap.growth.ps);
  }
  std::int64_t expected_count = 0;
  std::int64_t expected_sum = 0;
  std::int64_t expected_longest = 0;
  for (const metrics::RequestOutcome& done : run.observer.requests) {
    if (done.outcome == metrics::Outcome::completed) {
      CHECK(done.output_tokens == scenario.requests[done.id].output_tokens);
      CHECK(done.arrival <= done.scheduled);
      CHECK(done.scheduled < done.first_token);
      CHECK(done.first_token <= done.last_token);
    }
    if (done.output_tokens == 0) continue;
    expected_count += done.output_tokens - 1;
    expected_sum += (done.last_token - done.first_token).ps;
    expected_longest = std::max(expected_longest, done.longest_gap.ps);
  }
  // The step in flight when a client gives up counts no token for it, but is a step of the batch.
  const bool gave_up = run.counts.cancelled > 0;
  CHECK((gave_up ? gap_count >= expected_count : gap_count == expected_count));
  CHECK((gave_up ? gap_sum >= expected_sum : gap_sum == expected_sum));
  CHECK((gave_up ? longest >= expected_longest : longest == expected_longest));
}
