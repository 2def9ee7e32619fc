#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// Steps of 1 ms and 1 ms for each prompt token beyond.
ServingSpec one_instance(SampleRule rule, PrefixCaching caching = PrefixCaching::on) {
  ServingSpec spec;
  spec.router = policies::find_router("least-outstanding")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  spec.sample_rule = rule;
  auto cost = std::make_shared<AffineCostModel>();
  cost->per_prefill_token = ms;
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), cost, 100, 16, caching};
  spec.pools.push_back(pool);
  return spec;
}

/// A prompt of two blocks, and completions of these lengths.
traces::Request several(std::int32_t first, std::vector<std::int32_t> others) {
  traces::Request made = request(0, 32, first);
  made.other_samples = std::move(others);
  return made;
}

}  // namespace

TEST_CASE("Completions share the prompt's full blocks, and the last of them answers the request") {
  // The prompt takes 33 ms. The others then find its first block and compute the second one: 3 · 16 tokens beside one decode,
  // 49 ms, until 82 ms. From there a step is 1 ms: the leader, with 2 tokens then, would end at 90; the longest of the others
  // has its first token at 82 and 19 more.
  const ServingRun run = run_serving(one_instance(SampleRule::all), {several(10, {4, 20, 6})});
  const metrics::RequestOutcome answer = run.observer.of(0);
  CHECK(answer.first_token.ps == 33 * ms);
  CHECK(answer.last_token.ps == 101 * ms);
  CHECK(answer.output_tokens == 20);
  CHECK(answer.other_tokens == 10 + 4 + 6);
  CHECK(run.observer.requests.size() == 1);
  CHECK(run.counts.total == 1);
  CHECK(run.counts.completed == 1);
  CHECK_FALSE(run.stall);
}

TEST_CASE("Without prefix caching every completion computes the whole prompt") {
  // 33 ms, then 3 · 32 prompt tokens: 97 ms, until 130, and 19 tokens more.
  const ServingRun run = run_serving(one_instance(SampleRule::all, PrefixCaching::off), {several(10, {4, 20, 6})});
  CHECK(run.observer.of(0).last_token.ps == 149 * ms);
}

TEST_CASE("Where the first completion answers, the others are dropped with what they have emitted") {
  // At 82 ms the others have a token each and the leader two. The one of four ends at 85; then the leader has 5, the others 4.
  const ServingRun run = run_serving(one_instance(SampleRule::first), {several(10, {4, 20, 6}), request(200 * ms, 32, 2)});
  const metrics::RequestOutcome answer = run.observer.of(0);
  CHECK(answer.last_token.ps == 85 * ms);
  CHECK(answer.output_tokens == 4);
  CHECK(answer.other_tokens == 5 + 4 + 4);
  CHECK(run.observer.of(1).ttft().ps == 33 * ms);  // Nothing of them is left.
  CHECK(run.counts.in_flight == 0);
}

TEST_CASE("One token each, and a client that gives up on all completions") {
  const ServingRun short_ones = run_serving(one_instance(SampleRule::all), {several(1, {1, 1})});
  // The others compute 2 · 16 tokens after the 33 ms of the prompt, without a decode beside them.
  CHECK(short_ones.observer.of(0).last_token.ps == (33 + 33) * ms);
  CHECK(short_ones.observer.of(0).other_tokens == 2);

  ServingSpec spec = one_instance(GENERATE(SampleRule::all, SampleRule::first));
  spec.others.timeout = {GENERATE(10, 33, 60, 90, 100) * ms};
  const ServingRun lost = run_serving(spec, {several(40, {50, 60}), request(300 * ms, 32, 2)});
  CHECK(lost.counts.in_flight == 0);
  CHECK(lost.observer.of(0).outcome == metrics::Outcome::cancelled);
  CHECK_FALSE(lost.stall);
}
