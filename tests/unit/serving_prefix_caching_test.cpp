#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// A step takes 1 ms and 0.1 ms for each prompt token computed.
ServingSpec cached_instances(int replicas, std::string_view router, std::int64_t kv_blocks) {
  AffineCostModel cost;
  cost.per_prefill_token = ms / 10;
  ServingSpec spec;
  spec.router = policies::find_router(router)->make({});
  PoolSpec pool;
  pool.name = "chat";
  pool.replicas = replicas;
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(cost), kv_blocks, 16, PrefixCaching::on};
  spec.pools.push_back(pool);
  return spec;
}

traces::Request hashed(std::int64_t arrival_ps, std::int32_t input, std::int32_t output, std::int32_t block_tokens,
                       std::vector<std::uint64_t> hashes) {
  traces::Request made = request(arrival_ps, input, output);
  made.block_tokens = block_tokens;
  made.block_hashes = std::move(hashes);
  return made;
}

}  // namespace

TEST_CASE("A prompt that was computed before costs only what differs, and at least its last block") {
  // 70 tokens are four full blocks of 16 and six more. The second prompt shares three blocks; the third is the first
  // again, whose fifth hash covers a partial block and is not kept; the fourth is exactly its four blocks, of which the
  // last is computed anew, since a prompt's last token must be.
  const ServingRun run = run_serving(cached_instances(1, "round-robin", 100),
                                     {hashed(0, 70, 1, 16, {1, 2, 3, 4, 5}), hashed(100 * ms, 70, 1, 16, {1, 2, 3, 9, 10}),
                                      hashed(200 * ms, 70, 1, 16, {1, 2, 3, 4, 5}), hashed(300 * ms, 64, 1, 16, {1, 2, 3, 4})});
  CHECK(run.observer.of(0).cached_input_tokens == 0);
  CHECK(run.observer.of(0).first_token.ps == 8 * ms);  // 1 + 7.
  CHECK(run.observer.of(1).cached_input_tokens == 48);
  CHECK(run.observer.of(1).first_token.ps == 100 * ms + 32 * ms / 10);  // 22 tokens.
  CHECK(run.observer.of(2).cached_input_tokens == 64);
  CHECK(run.observer.of(2).first_token.ps == 200 * ms + 16 * ms / 10);
  CHECK(run.observer.of(3).cached_input_tokens == 48);
  CHECK_FALSE(run.stall);
}

TEST_CASE("A cached block is visible when it is computed, not when it is scheduled") {
  // Both arrive together: the second computes its own copy. A third that arrives during their step finds both blocks.
  const ServingRun run = run_serving(cached_instances(1, "round-robin", 100),
                                     {hashed(0, 40, 1, 16, {1, 2, 3}), hashed(0, 40, 1, 16, {1, 2, 3}), hashed(ms, 40, 1, 16, {1, 2, 3})});
  CHECK(run.observer.of(1).cached_input_tokens == 0);
  CHECK(run.observer.of(2).cached_input_tokens == 32);
  CHECK(run.observer.stretches[0].kv_blocks_used == 6);
}

TEST_CASE("Sequences that share a prefix hold its blocks once") {
  // 48 of 49 tokens are shared, three blocks; each of three sequences decodes in a fourth of its own: 3 + 3 blocks.
  const ServingRun run = run_serving(cached_instances(1, "round-robin", 100),
                                     {hashed(0, 49, 12, 16, {1, 2, 3, 4}), hashed(8 * ms, 49, 12, 16, {1, 2, 3, 5}),
                                      hashed(8 * ms, 49, 12, 16, {1, 2, 3, 6})});
  CHECK(run.observer.of(1).cached_input_tokens == 48);
  std::int64_t most = 0;
  for (const metrics::Stretch& stretch : run.observer.stretches)
    if (stretch.decode_sequences == 3) most = std::max(most, stretch.kv_blocks_used);
  CHECK(most == 6);
}

TEST_CASE("The end of a prompt is evicted before its beginning") {
  // 8 blocks. The first request leaves 4 units. The second takes 6 blocks of its own: 4 that were never cached, then
  // those that held units 4 and 3.
  const ServingRun run = run_serving(cached_instances(1, "round-robin", 8),
                                     {hashed(0, 64, 1, 16, {1, 2, 3, 4}), hashed(100 * ms, 96, 1, 16, {11, 12, 13, 14, 15, 16}),
                                      hashed(200 * ms, 64, 1, 16, {1, 2, 3, 4})});
  CHECK(run.observer.of(2).cached_input_tokens == 32);
}

TEST_CASE("Hashes of more or fewer tokens than a block are cached in the larger of both") {
  const std::int32_t hash_tokens = GENERATE(4, 8, 32);
  CAPTURE(hash_tokens);
  std::vector<std::uint64_t> hashes;
  for (std::int32_t i = 0; i < 100 / hash_tokens; ++i) hashes.push_back(static_cast<std::uint64_t>(i) + 1);
  const ServingRun run = run_serving(cached_instances(1, "round-robin", 100),
                                     {hashed(0, 100, 1, hash_tokens, hashes), hashed(100 * ms, 100, 1, hash_tokens, hashes)});
  CHECK(run.observer.of(1).cached_input_tokens == 96);  // 6 blocks of 16, or 3 hashes of 32.
}

TEST_CASE("Equal blocks behind different beginnings are not the same prefix") {
  const ServingRun run = run_serving(cached_instances(1, "round-robin", 100),
                                     {hashed(0, 40, 1, 16, {1, 7, 3}), hashed(100 * ms, 40, 1, 16, {2, 7, 3})});
  CHECK(run.observer.of(1).cached_input_tokens == 0);
}

TEST_CASE("A preempted sequence finds its own prompt again") {
  // 6 blocks. Both prompts take 2 blocks and one more each as they decode. At 16 more tokens the first needs a fourth:
  // the second is preempted, and its two units stay until they are needed. It comes back with 32 of its tokens cached.
  ServingSpec spec = cached_instances(1, "round-robin", 6);
  const ServingRun run = run_serving(spec, {hashed(0, 32, 19, 16, {1, 2}), hashed(0, 32, 40, 16, {3, 4})});
  CHECK(run.observer.of(1).preemptions == 1);
  CHECK(run.observer.of(1).cached_input_tokens == 0);  // Counted for its first admission.
  std::int64_t computed = 0;
  for (const metrics::Stretch& stretch : run.observer.stretches) computed += stretch.prefill_tokens * stretch.steps;
  CHECK(computed == 64 + 17);  // Both prompts, then the 17 tokens that the second had emitted.
}

TEST_CASE("A prefix-aware router follows the cache, and spreads when the load is uneven") {
  std::vector<traces::Request> requests{hashed(0, 70, 1, 16, {1, 2, 3, 4}), hashed(0, 70, 1, 16, {5, 6, 7, 8})};
  // One at a time: each goes back to where its prefix is.
  for (int i = 0; i < 4; ++i) requests.push_back(hashed((100 + 20 * i) * ms, 70, 1, 16, i % 2 == 0 ? std::vector<std::uint64_t>{5, 6, 7, 8} : std::vector<std::uint64_t>{1, 2, 3, 4}));
  ServingRun run = run_serving(cached_instances(2, "prefix-aware", 1'000), requests);
  CHECK(run.observer.of(0).instance != run.observer.of(1).instance);
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(run.observer.of(2 + i).instance == run.observer.of(i % 2 == 0 ? 1 : 0).instance);

  // 200 at once with one prefix: the first 65 follow the cache, then the others are evened out.
  requests = {hashed(0, 70, 1, 16, {1, 2, 3, 4})};
  for (int i = 0; i < 200; ++i) requests.push_back(hashed(100 * ms, 70, 50, 16, {1, 2, 3, 4}));
  run = run_serving(cached_instances(2, "prefix-aware", 2'000), requests);
  int on_first = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) on_first += run.observer.of(i).instance == 0 ? 1 : 0;
  CHECK(on_first > 100);
  CHECK(on_first < 150);
}
