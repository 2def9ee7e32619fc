#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// 1 ms a step and `token` for each prompt token.
PoolSpec pool(std::int64_t token) {
  AffineCostModel cost;
  cost.per_prefill_token = token;
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(cost), 1000, 16};
  return pool;
}

std::vector<traces::Request> at_once(int count) {
  std::vector<traces::Request> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(request(0, 100, 2));
    requests.back().request_class = 1;
  }
  return requests;
}

}  // namespace

TEST_CASE("A request whose first token is estimated to come too late is turned away") {
  // A long prompt takes (1 + 2048 / 10) / 2048 ms a token: 10.05 ms for 100 tokens, 20.1 ms behind another 100, 30.1 ms
  // behind 200. The deadline of 25 ms holds for two at once. When they have gone, the next one may come.
  ServingSpec spec;
  spec.router = policies::find_router("round-robin")->make({});
  spec.pools.push_back(pool(ms / 10));
  spec.pools[0].admission.deadline = DeadlineRule::estimate;
  spec.classes = {{"chat", 0, {25 * ms}}};
  std::vector<traces::Request> requests = at_once(4);
  requests.push_back(request(40 * ms, 100, 2));
  requests.back().request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "chat"});
  CHECK(run.counts.completed == 3);
  CHECK(run.observer.of(2).cause == metrics::Cause::admission);
  CHECK(run.observer.of(3).outcome == metrics::Outcome::rejected);
  CHECK(run.observer.of(4).outcome == metrics::Outcome::completed);
}

TEST_CASE("Cost-aware routing fills the cheap pool up to the objective, and the dear one takes what is left") {
  // 20 ms a prompt at the cheap pool, 5 ms at the dear one; 45 ms are allowed. The cheap pool takes two (20.05 and 40.1),
  // the next two would end there at 60 ms and go to the dear one.
  ServingSpec spec;
  spec.router = policies::find_router("cost-aware")->make({});
  spec.pools = {pool(ms / 5), pool(ms / 20)};
  spec.pools[1].name = "dear";
  spec.pools[1].instance.cost_weight = 3;
  spec.classes = {{"chat", 0, {45 * ms}}};
  const ServingRun run = run_serving(spec, at_once(4), {"", "chat"});
  CHECK(run.observer.of(0).pool == 0);
  CHECK(run.observer.of(1).pool == 0);
  CHECK(run.observer.of(2).pool == 1);
  CHECK(run.observer.of(3).pool == 1);
}
