#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// A pass of 4 ms, and 0.1 ms for each prompt token, through `stages`.
ServingSpec pipeline(int stages, const policies::SchedulerOptions& options = {}) {
  AffineCostModel cost;
  cost.base = 4 * ms;
  cost.per_prefill_token = ms / 10;
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler("vllm-v1")->make(options), std::make_shared<AffineCostModel>(cost), 100, 16};
  pool.instance.stage_layers.assign(static_cast<std::size_t>(stages), 1);
  ServingSpec spec;
  spec.router = policies::find_router("round-robin")->make({});
  spec.pools.push_back(pool);
  return spec;
}

}  // namespace

TEST_CASE("A lone request takes a whole pass for each token, however many stages") {
  const int stages = GENERATE(1, 2, 4);
  const ServingRun run = run_serving(pipeline(stages), {request(0, 10, 5)});
  CHECK(run.observer.of(0).first_token.ps == 5 * ms);
  CHECK(run.observer.of(0).last_token.ps == 21 * ms);
  CHECK(run.observer.of(0).longest_gap.ps == 4 * ms);
}

TEST_CASE("Micro-batches fill the stages: two requests on two stages take no longer than one") {
  // Request 0 enters at 0 and leaves the first stage at 2.5 ms. Request 1, which came meanwhile, enters then: its pass
  // ends at 7.5 ms. From there on each has a stage to itself: a token every 4 ms.
  const ServingRun run = run_serving(pipeline(2), {request(0, 10, 5), request(ms, 10, 5)});
  CHECK(run.observer.of(0).first_token.ps == 5 * ms);
  CHECK(run.observer.of(1).scheduled.ps == 5 * ms / 2);
  CHECK(run.observer.of(1).first_token.ps == 15 * ms / 2);
  // Request 0's first decode enters at 5 ms and finds the second stage busy until 7.5 ms: 9.5 instead of 9 ms.
  CHECK(run.observer.of(0).last_token.ps == 43 * ms / 2);
  CHECK(run.observer.of(0).longest_gap.ps == 9 * ms / 2);
  CHECK(run.counts.completed == 2);
}

TEST_CASE("What the stages are given adds up: an instance is busy for the time its steps spend in the first stage") {
  const ServingRun run = run_serving(pipeline(4), {request(0, 10, 5), request(ms, 10, 9), request(2 * ms, 30, 3)});
  std::int64_t in_first_stage = 0;
  SimTime free;
  for (const metrics::Stretch& stretch : run.observer.stretches) {
    CHECK(stretch.start >= free);
    free = stretch.end;
    in_first_stage += (stretch.end - stretch.start).ps;
  }
  // 17 steps of 4 ms and 50 prompt tokens of 0.1 ms, a quarter of it all.
  CHECK(run.observer.steps() == 17);
  CHECK(in_first_stage == (17 * 4 * ms + 5 * ms) / 4);
}

TEST_CASE("Under memory pressure only the micro-batch that is planned is preempted, and all complete") {
  policies::SchedulerOptions options;
  options.token_budget = 64;
  ServingSpec spec = pipeline(3, options);
  spec.pools[0].instance.kv_blocks = 12;
  spec.classes = {{"hasty", 0, SimTime::max(), {60 * ms}}};
  std::vector<traces::Request> requests;
  for (int i = 0; i < 30; ++i) {
    requests.push_back(request(i * 3 * ms, 20 + 7 * i % 40, 1 + 13 * i % 50));
    requests.back().request_class = i % 5 == 0 ? 1 : 0;
  }
  const ServingRun run = run_serving(spec, requests, {"", "hasty"});
  CHECK(run.counts.completed + run.counts.cancelled == 30);
  CHECK(run.counts.completed >= 24);
  CHECK_FALSE(run.stall);
  std::int64_t gaps = 0;
  std::int64_t expected = 0;
  for (const metrics::TokenGaps& gap : run.observer.gaps) gaps += gap.count * gap.sequences;
  for (const metrics::RequestOutcome& done : run.observer.requests) expected += std::max(done.output_tokens - 1, 0);
  CHECK(gaps >= expected);
}
