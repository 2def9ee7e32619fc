#include "sim/policies/round_robin_router.h"
#include "sim/policies/scheduler_registry.h"
#include "sim/serving/kv_tiers.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// 1 ms a step and 0.1 ms a prompt token; blocks of 16 tokens, whose hashes the requests bring.
ServingSpec one_instance(std::int64_t kv_blocks, std::vector<KvTierSpec> tiers, std::string_view policy = "vllm-v1") {
  AffineCostModel cost;
  cost.per_prefill_token = ms / 10;
  ServingSpec spec;
  spec.router = std::make_shared<policies::RoundRobinRouter>();
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler(policy)->make({}), std::make_shared<AffineCostModel>(cost), kv_blocks, 16};
  pool.instance.prefix_caching = PrefixCaching::on;
  pool.instance.kv_tiers = std::move(tiers);
  spec.pools.push_back(pool);
  return spec;
}

/// A prompt of 16-token blocks that equals others of its family.
traces::Request of_family(std::uint64_t family, std::int64_t at, std::int32_t input, std::int32_t output) {
  traces::Request made = request(at, input, output);
  made.block_tokens = 16;
  for (std::int32_t i = 0; i < input / 16; ++i) made.block_hashes.push_back(1000 * family + static_cast<std::uint64_t>(i));
  return made;
}

}  // namespace

TEST_CASE("A tier evicts the least recently used, and keeps what is reserved") {
  KvTier tier(100);
  std::vector<EvictedUnit> evicted;
  for (const std::uint64_t hash : {1, 2, 3}) tier.put(hash, 30, evicted);
  CHECK(evicted.empty());
  tier.touch(1);
  tier.put(4, 30, evicted);
  CHECK(evicted == std::vector<EvictedUnit>{{2, 30}});
  evicted.clear();
  CHECK(tier.reserve(60, evicted));
  CHECK(evicted == std::vector<EvictedUnit>{{3, 30}, {1, 30}});
  CHECK_FALSE(tier.reserve(41, evicted));
  evicted.clear();
  tier.put(5, 41, evicted);  // Cannot fit at all.
  CHECK(evicted == std::vector<EvictedUnit>{{5, 41}});
  CHECK(tier.has(4));
  CHECK(tier.used_tokens() == 90);
}

TEST_CASE("What the first tier evicts goes to the next, and a unit that is there already is written once") {
  KvTiers tiers({{"host", 32, 1e6, {}}, {"nvme", 64, 1e3, {}}});
  for (const std::uint64_t hash : {1, 2, 3, 1}) tiers.write_back(hash, 16);
  CHECK(tiers.find(1) == 0);
  CHECK(tiers.find(2) == 1);
  CHECK(tiers.find(3) == 0);
  CHECK(tiers.totals()[0].written_tokens == 4 * 16);
  CHECK(tiers.totals()[1].written_tokens == 2 * 16);
  CHECK_FALSE(tiers.find(9));
}

TEST_CASE("Loads from one tier follow one another, those of several run side by side") {
  KvTiers tiers({{"host", 100, 1e4, {}}, {"nvme", 100, 1e3, SimTime{ms}}});
  CHECK(tiers.load({10, 0}, {}).ps == ms);
  CHECK(tiers.load({10, 4}, {}).ps == 5 * ms);  // Host until 2 ms, the drive 1 + 4 ms.
  CHECK(tiers.load({10, 0}, SimTime{10 * ms}).ps == 11 * ms);
  CHECK(tiers.totals()[0].loading.ps == 3 * ms);
}

TEST_CASE("A prompt that the host memory has is loaded before the rest of it is computed") {
  // 8 blocks. Prompt A (64 tokens) takes 7.4 ms to compute; B (96 tokens) evicts three or four of its blocks to the host.
  // A comes again at 100 ms: its last block is computed anyway, three are cached or loaded at 1,000 tokens a ms.
  const std::vector<traces::Request> requests{of_family(1, 0, 64, 1), of_family(2, 50 * ms, 96, 1), of_family(1, 100 * ms, 64, 1)};
  const ServingRun without = run_serving(one_instance(8, {}), requests);
  const ServingRun with = run_serving(one_instance(8, {{"host", 1000, 1e6, {}}}), requests);
  CHECK(without.observer.of(2).cached_input_tokens < 48);
  CHECK(with.observer.of(2).cached_input_tokens == 48);
  REQUIRE(with.tiers.size() == 1);
  const std::int64_t loaded = with.tiers[0].loaded_tokens;
  CHECK(loaded == 48 - without.observer.of(2).cached_input_tokens);
  // TTFT = load at 10⁶ tokens/s + 1 ms + 16 tokens of 0.1 ms.
  CHECK(with.observer.of(2).first_token.ps == 100 * ms + loaded * ms / 1000 + ms + 16 * ms / 10);
}

TEST_CASE("A slower tier costs its time, and two loads of one instance share its link") {
  // A and B (48 tokens each) are pushed out by C. Both come back at once: 32 tokens each from a tier of 4 tokens a ms take
  // 8 ms and 16 ms; the rest of each is 16 tokens.
  std::vector<traces::Request> requests{of_family(1, 0, 48, 1), of_family(2, 20 * ms, 48, 1), of_family(3, 40 * ms, 128, 1),
                                        of_family(1, 100 * ms, 48, 1), of_family(2, 100 * ms, 48, 1)};
  const ServingRun run = run_serving(one_instance(8, {{"nvme", 1000, 4e3, {}}}), requests);
  CHECK(run.observer.of(3).first_token.ps == 100 * ms + 8 * ms + ms + 16 * ms / 10);
  CHECK(run.observer.of(4).first_token.ps == 100 * ms + 16 * ms + ms + 16 * ms / 10);
  CHECK(run.tiers[0].loading_s == Approx(0.016));
}

TEST_CASE("A swapped sequence is loaded and goes on where it stopped; without room it is computed anew") {
  // Two sequences of 32 tokens and 64 outputs in 7 blocks: when both hold three and one more is asked for, the second is
  // preempted with some of its tokens, and comes back when the first has ended.
  const std::vector<traces::Request> requests{request(0, 32, 60), request(0, 32, 60)};
  const auto run_with = [&](std::int64_t capacity, Preemption preemption) {
    ServingSpec spec = one_instance(7, {{"host", capacity, 1e5, {}}});
    spec.pools[0].instance.preemption = preemption;
    return run_serving(spec, requests);
  };
  const ServingRun anew = run_with(1000, Preemption::recompute);
  const ServingRun swapped = run_with(1000, Preemption::swap);
  const ServingRun no_room = run_with(10, Preemption::swap);
  for (const ServingRun* run : {&anew, &swapped, &no_room}) {
    CHECK(run->counts.completed == 2);
    CHECK(run->observer.of(1).preemptions == 1);
  }
  CHECK(anew.tiers[0].written_tokens == 0);
  // It is loaded at once, while the first still leaves room, gives that up to it, and is loaded again.
  const std::int64_t tokens = swapped.tiers[0].written_tokens;
  CHECK(swapped.tiers[0].loaded_tokens == 2 * tokens);
  CHECK(tokens > 32);
  // Instead of computing `tokens` + 1 tokens of 0.1 ms, it loads them at 100 a ms and computes the last.
  CHECK((anew.observer.of(1).last_token - swapped.observer.of(1).last_token).ps == tokens * ms / 10 - tokens * ms / 100);
  CHECK(no_room.observer.of(1).last_token == anew.observer.of(1).last_token);
}

TEST_CASE("Clients that give up while their KV is loading leave no block behind") {
  std::vector<traces::Request> requests{of_family(1, 0, 48, 1), of_family(2, 20 * ms, 128, 1), of_family(1, 100 * ms, 48, 9),
                                        of_family(3, 300 * ms, 112, 2)};
  requests[2].request_class = 1;
  ServingSpec spec = one_instance(8, {{"nvme", 1000, 1e3, {}}});
  spec.classes = {{"hasty", 0, SimTime::max(), {5 * ms}}};
  const ServingRun run = run_serving(spec, requests, {"", "hasty"});
  CHECK(run.observer.of(2).outcome == metrics::Outcome::cancelled);
  CHECK(run.counts.completed == 3);
  CHECK_FALSE(run.stall);
}

TEST_CASE("What one instance has evicted into a tier of the pool another one loads, and their loads share its link") {
  // In turn: A to the first instance, a short prompt to the second, B to the first, which evicts all of A. A again goes to the
  // second: three of its blocks come from the pool's tier, 48 tokens at 4 tokens a ms; with tiers of their own it finds nothing.
  const TierScope scope = GENERATE(TierScope::pool, TierScope::instance);
  ServingSpec spec = one_instance(8, {{"store", 1000, 4e3, {}, scope}});
  spec.pools[0].replicas = 2;
  const ServingRun run = run_serving(spec, {of_family(1, 0, 64, 1), of_family(2, 10 * ms, 16, 1), of_family(3, 50 * ms, 128, 1), of_family(1, 100 * ms, 64, 1)});
  const bool is_shared = scope == TierScope::pool;
  CHECK(run.observer.of(3).instance == 1);
  CHECK(run.observer.of(3).cached_input_tokens == (is_shared ? 48 : 0));
  CHECK(run.observer.of(3).first_token.ps == (is_shared ? 100 * ms + 12 * ms + ms + 16 * ms / 10 : 100 * ms + ms + 64 * ms / 10));

  // Both want it at once, each on its own instance: the second load follows the first.
  ServingSpec both = one_instance(8, {{"store", 1000, 4e3, {}, TierScope::pool}});
  both.pools[0].replicas = 2;
  const ServingRun two = run_serving(both, {of_family(1, 0, 64, 1), of_family(2, 10 * ms, 128, 1), of_family(3, 50 * ms, 128, 1), of_family(4, 60 * ms, 16, 1),
                                            of_family(1, 100 * ms, 64, 1), of_family(1, 100 * ms, 64, 1)});
  CHECK(two.observer.of(4).first_token.ps == 100 * ms + 12 * ms + ms + 16 * ms / 10);
  CHECK(two.observer.of(5).first_token.ps == 100 * ms + 24 * ms + ms + 16 * ms / 10);
}
