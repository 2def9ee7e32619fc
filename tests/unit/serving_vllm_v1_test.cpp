#include "sim/policies/round_robin_router.h"
#include "sim/policies/vllm_v1_policy.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;
using policies::VllmV1Options;
using policies::VllmV1Policy;

namespace {

ServingSpec one_instance(const VllmV1Options& options, const AffineCostModel& cost, std::int64_t kv_blocks, Jumping jumping) {
  ServingSpec spec;
  spec.router = std::make_shared<policies::RoundRobinRouter>();
  spec.jumping = jumping;
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {std::make_shared<VllmV1Policy>(options), std::make_shared<AffineCostModel>(cost), kv_blocks, 16};
  spec.pools.push_back(pool);
  return spec;
}

}  // namespace

TEST_CASE("A lone request takes one step for its prompt and one for each further token") {
  const Jumping jumping = GENERATE(Jumping::on, Jumping::off);
  const ServingRun run = run_serving(one_instance({}, {}, 100, jumping), {request(5 * ms, 40, 3)});
  const metrics::RequestOutcome& done = run.observer.of(0);
  CHECK(done.outcome == metrics::Outcome::completed);
  CHECK(done.arrival.ps == 5 * ms);
  CHECK(done.scheduled.ps == 5 * ms);
  CHECK(done.first_token.ps == 6 * ms);
  CHECK(done.last_token.ps == 8 * ms);
  CHECK(done.longest_gap.ps == ms);
  CHECK(done.output_tokens == 3);
  REQUIRE(run.observer.stretches.size() == 2);  // The prompt's step; two steps of decode.
  CHECK(run.observer.stretches[0].prefill_tokens == 40);
  CHECK(run.observer.stretches[1].steps == 2);
  CHECK(run.observer.stretches[1].kv_blocks_used == 3);  // 42 tokens: the last one's KV is never computed.
  CHECK_FALSE(run.stall);
}

TEST_CASE("A long prompt is computed in chunks of the token budget, beside the decodes") {
  // Budget 100: the first request (30 tokens in) decodes from step 1 on; the second (250 in) gets 70 in step 0,
  // then 99 beside one decode, then the last 81.
  VllmV1Options options;
  options.token_budget = 100;
  const Jumping jumping = GENERATE(Jumping::on, Jumping::off);
  const ServingRun run = run_serving(one_instance(options, {}, 100, jumping), {request(0, 30, 10), request(0, 250, 2)});
  REQUIRE(run.observer.stretches.size() >= 3);
  CHECK(run.observer.stretches[0].prefill_tokens == 100);
  CHECK(run.observer.stretches[1].prefill_tokens == 99);
  CHECK(run.observer.stretches[1].decode_sequences == 1);
  CHECK(run.observer.stretches[2].prefill_tokens == 81);
  CHECK(run.observer.of(1).scheduled.ps == 0);
  CHECK(run.observer.of(1).first_token.ps == 3 * ms);
  CHECK(run.observer.of(1).last_token.ps == 4 * ms);
  CHECK(run.observer.of(0).last_token.ps == 10 * ms);
}

TEST_CASE("A long-prefill threshold lets a later, shorter prompt pass") {
  VllmV1Options options;
  options.token_budget = 100;
  options.long_prefill_threshold = 60;
  const ServingRun run = run_serving(one_instance(options, {}, 100, Jumping::on), {request(0, 250, 1), request(0, 40, 1)});
  CHECK(run.observer.of(1).first_token.ps == ms);      // 60 + 40 in step 0.
  CHECK(run.observer.of(0).first_token.ps == 5 * ms);  // 60 · 4 + 10.
}

TEST_CASE("A request that arrives during a step joins at its end; one that arrives at a boundary joins there") {
  const Jumping jumping = GENERATE(Jumping::on, Jumping::off);
  const ServingRun run = run_serving(one_instance({}, {}, 100, jumping),
                                     {request(0, 10, 20), request(4 * ms + ms / 2, 10, 1), request(7 * ms, 10, 1)});
  CHECK(run.observer.of(1).scheduled.ps == 5 * ms);
  CHECK(run.observer.of(2).scheduled.ps == 7 * ms);
  CHECK(run.observer.of(0).last_token.ps == 20 * ms);
}

TEST_CASE("With all sequences taken an arrival waits, and does not end the stretch") {
  VllmV1Options options;
  options.max_sequences = 1;
  const ServingRun run = run_serving(one_instance(options, {}, 100, Jumping::on), {request(0, 10, 20), request(4 * ms, 10, 1)});
  CHECK(run.observer.of(1).scheduled.ps == 20 * ms);
  REQUIRE(run.observer.stretches.size() == 3);
  CHECK(run.observer.stretches[1].steps == 19);
}

TEST_CASE("Without a free block the last running sequence is preempted and computed anew from the front of the queue") {
  // Blocks of 16, four of them. Two requests of 32 tokens in fill all; the first decode of each needs a fifth and a
  // sixth. Step 1: the second is preempted (2 blocks free), the first decodes on 3 blocks.
  // No admission in the step that preempted. From step 2 on one block is free, and 33 tokens (32 in and one emitted)
  // need three: the second waits until the first has emitted its 10 tokens at 10 ms, then computes 33 tokens at once.
  const Jumping jumping = GENERATE(Jumping::on, Jumping::off);
  const ServingRun run = run_serving(one_instance({}, {}, 4, jumping), {request(0, 32, 10), request(0, 32, 3)});
  CHECK(run.observer.of(0).last_token.ps == 10 * ms);
  CHECK(run.observer.of(0).preemptions == 0);
  const metrics::RequestOutcome& second = run.observer.of(1);
  CHECK(second.preemptions == 1);
  CHECK(second.scheduled.ps == 0);
  CHECK(second.first_token.ps == ms);
  CHECK(second.last_token.ps == 12 * ms);
  CHECK(second.longest_gap.ps == 10 * ms);  // From 1 ms to 11 ms.
  CHECK(run.observer.stretches[2].prefill_tokens == 33);
  CHECK_FALSE(run.stall);
}

TEST_CASE("A request whose KV can never fit is rejected on arrival and nothing waits for it") {
  // 4 blocks hold 64 tokens; the last output token has no KV: 60 + 5 - 1 = 64 fits, 60 + 6 - 1 does not.
  const ServingRun run = run_serving(one_instance({}, {}, 4, Jumping::on), {request(0, 60, 6), request(0, 60, 5)});
  CHECK(run.observer.of(0).outcome == metrics::Outcome::rejected);
  CHECK(run.observer.of(0).cause == metrics::Cause::kv_too_small);
  CHECK(run.observer.of(1).outcome == metrics::Outcome::completed);
  CHECK(run.counts.rejected == 1);
}

TEST_CASE("Under priority order the smaller number is admitted first, ties by arrival") {
  VllmV1Options options;
  options.order = policies::QueueOrder::priority;
  options.max_sequences = 1;
  ServingSpec spec = one_instance(options, {}, 100, Jumping::on);
  spec.classes = {{"voice", -1}, {"batch", 5}};
  std::vector<traces::Request> requests{request(0, 10, 5), request(0, 10, 1), request(0, 10, 1), request(0, 10, 1)};
  requests[1].request_class = 2;
  requests[2].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "voice", "batch"});
  CHECK(run.observer.of(2).scheduled.ps == 0);
  CHECK(run.observer.of(0).scheduled.ps == ms);
  CHECK(run.observer.of(3).scheduled.ps == 6 * ms);
  CHECK(run.observer.of(1).scheduled.ps == 7 * ms);
}

TEST_CASE("Under priority order the least urgent sequence is preempted, even one that has its share of the step already") {
  // 5 blocks of 16. Request 0 (32 in, not urgent) decodes on 3; request 1 (32 in) gets the other 2 at 1 ms and needs a
  // third at 2 ms. Request 0 stands first in the list and still loses its place, at two emitted tokens. It comes back
  // when 3 blocks are free, at 4 ms, and emits its third token at 5 ms.
  VllmV1Options options;
  options.order = policies::QueueOrder::priority;
  ServingSpec spec = one_instance(options, {}, 5, GENERATE(Jumping::on, Jumping::off));
  spec.classes = {{"batch", 5}};
  std::vector<traces::Request> requests{request(0, 32, 4), request(ms / 2, 32, 3)};
  requests[0].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "batch"});
  CHECK(run.observer.of(1).preemptions == 0);
  CHECK(run.observer.of(1).last_token.ps == 4 * ms);
  CHECK(run.observer.of(0).preemptions == 1);
  CHECK(run.observer.of(0).last_token.ps == 6 * ms);
  CHECK(run.observer.of(0).longest_gap.ps == 3 * ms);
}
