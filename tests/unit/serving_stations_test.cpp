#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// An instance with steps of 1 ms, and a station.
ServingSpec with_station(int devices, int workers, double memory_bytes = 1) {
  ServingSpec spec;
  spec.router = policies::find_router("least-outstanding")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(), 1000, 16};
  spec.pools.push_back(pool);
  spec.stations.push_back({"tools", devices, workers, memory_bytes, 1, 100, 900});
  spec.tools.push_back({"shell", 0, 1, 0});
  spec.tools.push_back({"build", 0, 2, 0});
  spec.tools.push_back({"index", 0, 1, 0.6});
  return spec;
}

enum Name : std::uint32_t { none, shell, build, index, unknown };
const std::vector<std::string> names{"", "shell", "build", "index", "unknown"};

/// The first call of a task, of 5 tokens, and the second one after these tools.
std::vector<traces::Request> task(std::int64_t arrival_ps, std::uint64_t session, std::uint64_t first_id, std::vector<traces::ToolStep> tools) {
  traces::Request first = request(arrival_ps, 10, 5);
  first.session = session;
  traces::Request second = request(arrival_ps, 20, 2);
  second.session = session;
  second.parent = first_id;
  second.think_time.ps = 3 * ms;
  second.tools = std::move(tools);
  return {first, second};
}

traces::ToolStep step(Name tool, std::int64_t milliseconds, std::int32_t round = 0) { return {tool, {milliseconds * ms}, round}; }

}  // namespace

TEST_CASE("Tools of a round run side by side as far as workers are free, rounds one after another, and the request arrives with the last") {
  // The first call ends at 5 ms, and 3 ms later two calls of 10 ms begin, then one of 5 ms.
  const int workers = GENERATE(1, 2);
  const ServingRun run = run_serving(with_station(1, workers), task(0, 7, 0, {step(shell, 10), step(shell, 10), step(shell, 5, 1)}), names);
  const metrics::RequestOutcome second = run.observer.of(1);
  // One worker: 8 + 10 + 10 + 5; the last of the first round waited 10. Two workers: 8 + 10 + 5.
  CHECK(second.arrival.ps == (workers == 1 ? 33 : 23) * ms);
  CHECK(second.tool_time.ps == 15 * ms);
  CHECK(second.tool_wait.ps == (workers == 1 ? 10 : 0) * ms);
  CHECK(second.ttft().ps == ms);
  CHECK(second.session == 7);
  REQUIRE(run.observer.jobs.size() == 3);
  CHECK(run.observer.jobs[1].started.ps == (workers == 1 ? 18 : 8) * ms);
  CHECK(run.counts.completed == 2);
  CHECK_FALSE(run.stall);
}

TEST_CASE("A device draws idle power and its share of the rest for each busy worker") {
  // Idle 100 mW, all four workers 900 mW: 200 mW a worker. Two calls of 10 ms and one of 4 ms from 8 ms on.
  const ServingRun run = run_serving(with_station(1, 4), task(0, 7, 0, {step(shell, 10), step(build, 4)}), names);
  REQUIRE(run.observer.uses.size() == 2);
  CHECK(run.observer.uses[0].busy_workers == 3);
  CHECK(run.observer.uses[0].power_mw == 100 + 3 * 200);
  CHECK((run.observer.uses[0].end - run.observer.uses[0].start).ps == 4 * ms);
  CHECK(run.observer.uses[1].busy_workers == 1);
  CHECK(run.observer.uses[1].power_mw == 300);
  CHECK((run.observer.uses[1].end - run.observer.uses[1].start).ps == 6 * ms);
}

TEST_CASE("Nobody passes a job that waits for workers of one device, and memory holds jobs back like workers do") {
  SECTION("workers") {
    // Two devices of two workers: shells on both, then a build that needs two workers of one, then another shell behind it.
    const ServingRun run = run_serving(with_station(2, 2), task(0, 7, 0, {step(shell, 10), step(shell, 20), step(build, 5), step(shell, 1)}), names);
    REQUIRE(run.observer.jobs.size() == 4);
    CHECK(run.observer.jobs[1].started.ps == 18 * ms);  // The build, when the first shell has left its device.
    // The last shell could have started at 8 ms beside either, but waits for the build to start: beside the other shell then.
    CHECK(run.observer.jobs[0].ended.ps == 18 * ms);
    CHECK(run.observer.of(1).arrival.ps == 28 * ms);
  }
  SECTION("memory") {
    // Each takes 0.6 of 1: one after another, although eight workers are free.
    const ServingRun run = run_serving(with_station(1, 8), task(0, 7, 0, {step(index, 10), step(index, 10), step(index, 10)}), names);
    CHECK(run.observer.of(1).arrival.ps == 38 * ms);
    CHECK(run.observer.of(1).tool_wait.ps == 20 * ms);
  }
}

TEST_CASE("A faster station does the same work in less time, and a tool that runs nowhere only takes its time") {
  ServingSpec spec = with_station(1, 1);
  spec.stations[0].speed = 2;
  const ServingRun run = run_serving(spec, task(0, 7, 0, {step(shell, 10)}), names);
  CHECK(run.observer.of(1).arrival.ps == 13 * ms);
  const ServingRun elsewhere = run_serving(with_station(1, 1), task(0, 7, 0, {step(unknown, 10), step(unknown, 10)}), names);
  CHECK(elsewhere.observer.of(1).arrival.ps == 18 * ms);
  CHECK(elsewhere.observer.of(1).tool_time.ps == 10 * ms);
  CHECK(elsewhere.observer.jobs.empty());
}

TEST_CASE("When the first call of a task is refused its tools never run") {
  ServingSpec spec = with_station(1, 1);
  spec.pools[0].max_context_tokens = 12;
  const ServingRun run = run_serving(spec, task(0, 7, 0, {step(shell, 10)}), names);
  CHECK(run.observer.of(0).outcome == metrics::Outcome::rejected);
  CHECK(run.observer.of(1).cause == metrics::Cause::parent_lost);
  CHECK(run.observer.jobs.empty());
  CHECK(run.counts.in_flight == 0);
}

TEST_CASE("The first visible token is the one after the hidden ones") {
  // Steps of 1 ms: token k ends at k ms.
  traces::Request thinks = request(0, 10, 8);
  thinks.reasoning_tokens = 5;
  const ServingRun run = run_serving(with_station(1, 1), {thinks, request(0, 10, 8)}, names);
  CHECK(run.observer.of(0).first_token.ps == ms);
  REQUIRE(run.observer.of(0).first_visible);
  CHECK(run.observer.of(0).first_visible->ps == 6 * ms);
  CHECK_FALSE(run.observer.of(1).first_visible);
}
