#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// Four replicas that take one sequence at a time, 1 ms a token; a look every 10 ms, 5 ms to load, shrinking after 20 ms.
ServingSpec scaled(double target) {
  policies::SchedulerOptions options;
  options.max_sequences = 1;
  ServingSpec spec;
  spec.router = policies::find_router("least-outstanding")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  PoolSpec pool;
  pool.name = "chat";
  pool.replicas = 4;
  pool.instance = {policies::find_scheduler("vllm-v1")->make(options), std::make_shared<AffineCostModel>(), 100, 16};
  pool.scaling = {target, 1, SimTime{10 * ms}, SimTime{20 * ms}, SimTime{5 * ms}};
  spec.pools.push_back(pool);
  return spec;
}

/// Milliseconds that each replica was on.
std::vector<std::int64_t> on_ms(const ServingRun& run) {
  std::vector<std::int64_t> sums(4);
  for (const metrics::PoweredInterval& interval : run.observer.powered) sums[interval.instance] += (interval.end - interval.start).ps / ms;
  return sums;
}

}  // namespace

TEST_CASE("A pool grows to its load, after loading, and shrinks when the load has gone for the window") {
  // Eight requests of 30 ms at 0 queue at replica 0. The look at 10 ms wants 8 / 2 = 4 replicas; the others take requests
  // from 15 ms on, but those that wait stay where they are: eight times 30 ms. A ninth and tenth at 20 ms find room.
  std::vector<traces::Request> requests;
  for (int i = 0; i < 8; ++i) requests.push_back(request(0, 1, 30));
  requests.push_back(request(20 * ms, 1, 30));
  requests.push_back(request(21 * ms, 1, 30));
  const ServingRun run = run_serving(scaled(2), requests);
  CHECK(run.counts.completed == 10);
  for (std::uint64_t i = 0; i < 8; ++i) CHECK(run.observer.of(i).instance == 0);
  CHECK(run.observer.of(7).last_token.ps == 240 * ms);
  CHECK(run.observer.of(8).instance == 1);
  CHECK(run.observer.of(8).first_token.ps == 21 * ms);
  CHECK(run.observer.of(9).instance == 2);
  // All want four until the look at 60 ms, which sees 8 - 1 - 2 - … requests: 9 at 50 ms (5 replicas wanted, 4 there).
  // Replica 0 stays; every other one was on from 10 ms and has gone before the end.
  const std::vector<std::int64_t> on = on_ms(run);
  CHECK(on[0] >= 240);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(on[i] > 50);
    CHECK(on[i] < 230);
  }
  CHECK(on[3] <= on[2]);  // The highest goes first.
}

TEST_CASE("A replica that goes finishes what it has, and has forgotten what it had cached when it comes back") {
  // One request keeps replica 0 busy, another one replica 1; when the load falls to one, replica 1 drains its request.
  std::vector<traces::Request> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(request(0, 1, 12));
  requests.push_back(request(16 * ms, 64, 200));  // At replica 1, the first one that has nothing to do.
  requests.push_back(request(400 * ms, 1, 1));
  const ServingRun run = run_serving(scaled(2), requests);
  CHECK(run.counts.completed == 6);
  CHECK(run.observer.of(4).instance == 1);
  CHECK(run.observer.of(4).last_token.ps == 16 * ms + 200 * ms);
  CHECK(run.observer.of(5).instance == 0);
  const std::vector<std::int64_t> on = on_ms(run);
  CHECK(on[1] >= 216 - 10);
  CHECK(on[1] < 400);
  CHECK(on[3] == 0);
}

TEST_CASE("Intervals in which replicas are on are told in order of their ends, and none overlaps another of its replica") {
  std::vector<traces::Request> requests;
  for (int i = 0; i < 60; ++i) requests.push_back(request(i % 20 * 3 * ms + i / 20 * 300 * ms, 5, 1 + 7 * i % 40));
  const ServingRun run = run_serving(scaled(1), requests);
  CHECK(run.counts.completed == 60);
  SimTime told;
  std::vector<SimTime> free(4);
  for (const metrics::PoweredInterval& interval : run.observer.powered) {
    CHECK(interval.end >= told);
    CHECK(interval.start >= free[interval.instance]);
    told = interval.end;
    free[interval.instance] = interval.end;
  }
  for (const metrics::Stretch& stretch : run.observer.stretches) {
    const bool was_on = stretch.instance == 0 || std::ranges::any_of(run.observer.powered, [&](const metrics::PoweredInterval& on) {
                          return on.instance == stretch.instance && on.start <= stretch.start;
                        });
    CHECK(was_on);
  }
}
