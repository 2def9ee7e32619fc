#include <set>

#include "sim/policies/router_registry.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::serving;

namespace {

/// Instances with given loads.
struct FixedView final : RoutingView {
  std::vector<int> loads;
  std::vector<int> queued;
  std::vector<SimTime> estimates;
  std::vector<double> costs;
  std::vector<double> kv;
  std::uint64_t routed_so_far = 0;

  std::uint32_t size() const override { return static_cast<std::uint32_t>(loads.size()); }
  std::uint64_t routed() const override { return routed_so_far; }
  int outstanding(std::uint32_t i) const override { return loads[i]; }
  int waiting(std::uint32_t i) const override { return queued.empty() ? 0 : queued[i]; }
  std::uint32_t least_outstanding() const override {
    return static_cast<std::uint32_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
  }
  double kv_used(std::uint32_t i) const override { return kv[i]; }
  std::int64_t cached_tokens(std::uint32_t, const Sequence&) const override { return 0; }
  SimTime estimated_first_token(std::uint32_t i, const Sequence&) const override { return estimates.empty() ? SimTime{} : estimates[i]; }
  double cost_weight(std::uint32_t i) const override { return costs.empty() ? 1 : costs[i]; }
};

FixedView loads(std::vector<int> of) {
  FixedView view;
  view.loads = std::move(of);
  view.kv.assign(view.loads.size(), 0);
  return view;
}

}  // namespace

TEST_CASE("Every listed router is found by its name and chooses one of the instances") {
  for (const policies::RouterEntry& entry : policies::routers()) {
    CAPTURE(entry.name);
    CHECK(policies::find_router(entry.name) == &entry);
    const auto router = entry.make({});
    for (std::uint64_t request = 0; request < 50; ++request) {
      Sequence sequence;
      sequence.request = request;
      sequence.session = static_cast<std::uint32_t>(request % 5);
      CHECK(router->choose(sequence, loads({3, 1, 2})) < 3);
      CHECK(router->choose(sequence, loads({7})) == 0);
    }
  }
}

TEST_CASE("Round robin takes turns; least outstanding and least KV take the first of the least") {
  FixedView view = loads({2, 1, 1});
  view.kv = {.5, .7, .2};
  view.routed_so_far = 7;
  CHECK(policies::find_router("round-robin")->make({})->choose({}, view) == 1);
  CHECK(policies::find_router("least-outstanding")->make({})->choose({}, view) == 1);
  CHECK(policies::find_router("least-kv")->make({})->choose({}, view) == 2);
}

TEST_CASE("Of two drawn instances the less loaded is taken: the most loaded never, the least loaded two times in three") {
  // Of 3 pairs the most loaded loses both that it is in; the least loaded wins its 2 of 3.
  const auto router = policies::find_router("power-of-two")->make({});
  std::vector<int> chosen(3);
  for (std::uint64_t request = 0; request < 3'000; ++request) {
    Sequence sequence;
    sequence.request = request;
    ++chosen[router->choose(sequence, loads({5, 1, 9}))];
  }
  CHECK(chosen[2] == 0);
  CHECK(chosen[1] == Approx(2'000).margin(100));  // Four standard deviations: √(3000 · 2/3 · 1/3) = 26.
}

TEST_CASE("A session stays where it is when an instance is added, unless the new one takes it") {
  const auto router = policies::find_router("session-affinity")->make({});
  int moved = 0;
  std::set<std::uint32_t> used;
  for (std::uint32_t session = 1; session <= 1'000; ++session) {
    Sequence sequence;
    sequence.session = session;
    const std::uint32_t before = router->choose(sequence, loads({0, 0, 0, 0}));
    const std::uint32_t after = router->choose(sequence, loads({9, 9, 9, 9, 9}));
    used.insert(before);
    if (after == before) continue;
    CHECK(after == 4);
    ++moved;
  }
  CHECK(used.size() == 4);
  CHECK(moved == Approx(200).margin(52));  // A fifth; four standard deviations: √(1000 · 1/5 · 4/5) = 13.
}

TEST_CASE("Least waiting looks at the queues alone, and takes the first of equal ones") {
  const auto router = policies::find_router("least-waiting")->make({});
  FixedView view = loads({1, 9, 9});
  view.queued = {2, 0, 0};
  CHECK(router->choose({}, view) == 1);
}

TEST_CASE("SLO-aware routing takes the earliest first token; cost-aware the cheapest that keeps the deadline") {
  FixedView view = loads({0, 0, 0, 0});
  view.estimates = {{40}, {10}, {30}, {25}};
  view.costs = {1, 4, 2, 2};
  Sequence request;
  CHECK(policies::find_router("slo-aware")->make({})->choose(request, view) == 1);
  const auto router = policies::find_router("cost-aware")->make({});
  request.deadline = SimTime{35};
  CHECK(router->choose(request, view) == 3);  // The cheapest is late; of two equally cheap ones the earlier.
  request.deadline = SimTime{50};
  CHECK(router->choose(request, view) == 0);
  request.deadline = SimTime{5};
  CHECK(router->choose(request, view) == 1);
}
