#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// Steps of 1 ms.
ServingSpec one_instance(std::int64_t kv_blocks) {
  ServingSpec spec;
  spec.router = policies::find_router("least-outstanding")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(), kv_blocks, 16};
  spec.pools.push_back(pool);
  return spec;
}

traces::Request turn(std::int64_t arrival_ps, std::int32_t output, std::optional<std::uint64_t> parent, std::int64_t think_ps) {
  traces::Request made = request(arrival_ps, 10, output);
  made.session = 7;
  made.parent = parent;
  made.think_time.ps = think_ps;
  return made;
}

}  // namespace

TEST_CASE("A turn arrives when its parent has completed and its user has thought, and not before its own arrival") {
  // Request 0 ends at 5 ms. Request 1 follows 3 ms later and ends at 10 ms; request 2 thinks as long, but its own
  // arrival is at 20 ms. Request 3 is read at 20 ms although its parent ended at 10 ms: it is due at once; so is
  // request 4 at 10 + 15 ms.
  const ServingRun run = run_serving(one_instance(100), {turn(0, 5, {}, 0), turn(ms, 2, 0, 3 * ms), turn(20 * ms, 1, 1, 3 * ms),
                                                         turn(20 * ms, 1, 1, 5 * ms), turn(20 * ms, 1, 1, 15 * ms)});
  CHECK(run.observer.of(0).last_token.ps == 5 * ms);
  CHECK(run.observer.of(1).arrival.ps == 8 * ms);
  CHECK(run.observer.of(1).last_token.ps == 10 * ms);
  CHECK(run.observer.of(2).arrival.ps == 20 * ms);
  CHECK(run.observer.of(3).arrival.ps == 20 * ms);
  CHECK(run.observer.of(4).arrival.ps == 25 * ms);
  CHECK(run.counts.completed == 5);
  CHECK_FALSE(run.stall);
}

TEST_CASE("When a parent does not complete its descendants are cancelled, known already or read later") {
  // Request 0 can never fit into 4 blocks. Request 2 waits for request 1, which waits for 0; request 3 comes later.
  std::vector<traces::Request> requests{turn(0, 100, {}, 0), turn(0, 5, 0, ms), turn(0, 5, 1, ms), turn(ms, 5, 0, ms), turn(ms, 1, {}, 0)};
  const ServingRun run = run_serving(one_instance(4), requests);
  CHECK(run.observer.of(0).outcome == metrics::Outcome::rejected);
  for (const std::uint64_t id : {1, 2, 3}) {
    CHECK(run.observer.of(id).outcome == metrics::Outcome::cancelled);
    CHECK(run.observer.of(id).cause == metrics::Cause::parent_lost);
  }
  CHECK(run.observer.of(4).outcome == metrics::Outcome::completed);
  CHECK(run.counts.in_flight == 0);
  CHECK_FALSE(run.stall);
}

TEST_CASE("Children that wait for a request in flight are lost with it when its client gives up") {
  ServingSpec spec = one_instance(100);
  spec.classes = {{"hasty", 0, SimTime::max(), {5 * ms}}};
  std::vector<traces::Request> requests{turn(0, 50, {}, 0), turn(ms, 5, 0, ms), turn(ms, 5, 1, ms)};
  requests[0].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "hasty"});
  CHECK(run.counts.cancelled == 3);
  CHECK(run.counts.in_flight == 0);
}

TEST_CASE("A full queue turns requests away") {
  ServingSpec spec = one_instance(100);
  spec.pools[0].admission.max_waiting = 2;
  std::vector<traces::Request> requests;
  for (int i = 0; i < 5; ++i) requests.push_back(request(0, 10, 1));
  requests.push_back(request(5 * ms, 10, 1));
  const ServingRun run = run_serving(spec, requests);
  CHECK(run.counts.completed == 3);
  CHECK(run.counts.rejected == 3);
  CHECK(run.observer.of(2).cause == metrics::Cause::admission);
  CHECK(run.observer.of(5).outcome == metrics::Outcome::completed);
}

TEST_CASE("Requests go to the pools of their model; a pool without a model takes the rest") {
  ServingSpec spec = one_instance(100);
  spec.pools.push_back(spec.pools[0]);
  spec.pools.push_back(spec.pools[0]);
  spec.pools[0].model = "small";
  spec.pools[1].model = "large";
  spec.pools[2].model = "large";
  std::vector<traces::Request> requests;
  for (int i = 0; i < 6; ++i) requests.push_back(request(0, 10, 1));
  for (std::size_t i = 0; i < 6; ++i) requests[i].model = static_cast<std::uint32_t>(i % 3);
  const std::vector<std::string> names{"small", "large", "unknown"};
  ServingRun run = run_serving(spec, requests, names);
  CHECK(run.observer.of(0).pool == 0);
  CHECK(run.observer.of(3).pool == 0);
  CHECK(run.observer.of(1).pool == 1);  // Two pools of one model share its requests.
  CHECK(run.observer.of(4).pool == 2);
  CHECK(run.observer.of(2).cause == metrics::Cause::no_pool);
  CHECK(run.counts.rejected == 2);
  spec.pools[0].model = "";
  run = run_serving(spec, requests, names);
  CHECK(run.observer.of(2).pool == 0);
  CHECK(run.counts.rejected == 0);
}

TEST_CASE("A request is reported under the class of its name, whatever number the log's names have") {
  ServingSpec spec = one_instance(100);
  spec.classes = {{"voice"}, {"batch"}};
  std::vector<traces::Request> requests(4, request(0, 10, 1));
  for (std::size_t i = 0; i < 4; ++i) requests[i].request_class = static_cast<std::uint32_t>(i);
  const ServingRun run = run_serving(spec, requests, {"", "batch", "other", "voice"});
  CHECK(run.observer.of(0).request_class == 0);
  CHECK(run.observer.of(1).request_class == 2);
  CHECK(run.observer.of(2).request_class == 0);
  CHECK(run.observer.of(3).request_class == 1);
}

TEST_CASE("A class may name the model that serves it, and a distant pool costs its clients both ways") {
  // Two pools of 1 ms a step; the far one is 20 ms away: 2 tokens take 2 ms there, and 40 ms of ways.
  ServingSpec spec = one_instance(100);
  spec.pools[0].model = "near";
  spec.pools.push_back(spec.pools[0]);
  spec.pools[1].model = "far";
  spec.pools[1].client_delay = {20 * ms};
  spec.classes = {{"hard"}};
  spec.classes[0].model = "far";
  std::vector<traces::Request> requests{request(0, 10, 2), request(0, 10, 2)};
  requests[0].model = requests[1].model = 2;
  requests[1].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "hard", "near"});
  CHECK(run.observer.of(0).last_token.ps == 2 * ms);
  CHECK(run.observer.of(1).scheduled.ps == 20 * ms);
  CHECK(run.observer.of(1).first_token.ps == 41 * ms);
  CHECK(run.observer.of(1).last_token.ps == 42 * ms);
  CHECK(run.observer.of(1).pool == 1);
}
