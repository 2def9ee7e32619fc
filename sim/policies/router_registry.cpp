#include "sim/policies/router_registry.h"

#include <algorithm>
#include <array>

#include "sim/policies/cost_aware_router.h"
#include "sim/policies/least_kv_router.h"
#include "sim/policies/least_outstanding_router.h"
#include "sim/policies/least_waiting_router.h"
#include "sim/policies/power_of_two_router.h"
#include "sim/policies/prefix_aware_router.h"
#include "sim/policies/random_router.h"
#include "sim/policies/round_robin_router.h"
#include "sim/policies/session_affinity_router.h"
#include "sim/policies/slo_aware_router.h"

namespace rackwright::policies {
namespace {

using Made = std::shared_ptr<const serving::Router>;

template <class Router>
Made make_plain(const RouterOptions&) {
  return std::make_shared<Router>();
}

template <class Router>
Made make_seeded(const RouterOptions& given) {
  return std::make_shared<Router>(given.seed);
}

constexpr std::array<std::string_view, 3> prefix_aware_options{"match_threshold", "imbalance_requests", "imbalance_ratio"};

Made make_prefix_aware(const RouterOptions& given) {
  PrefixAwareOptions options;
  options.match_threshold = given.match_threshold.value_or(options.match_threshold);
  options.imbalance_requests = given.imbalance_requests.value_or(options.imbalance_requests);
  options.imbalance_ratio = given.imbalance_ratio.value_or(options.imbalance_ratio);
  return std::make_shared<PrefixAwareRouter>(options);
}

// One line a router; a new one is its own file and a line here.
const std::array entries{
    RouterEntry{"round-robin", "In turn", {}, make_plain<RoundRobinRouter>},
    RouterEntry{"least-outstanding", "The instance with the fewest requests in flight", {}, make_plain<LeastOutstandingRouter>},
    RouterEntry{"least-waiting", "The instance with the fewest requests in its queue, whatever runs", {}, make_plain<LeastWaitingRouter>},
    RouterEntry{"least-kv", "The instance with the smallest part of its KV memory in use", {}, make_plain<LeastKvRouter>},
    RouterEntry{"power-of-two", "The less loaded of two instances drawn at random", {}, make_seeded<PowerOfTwoRouter>},
    RouterEntry{"random", "Any instance with equal chance", {}, make_seeded<RandomRouter>},
    RouterEntry{"prefix-aware", "The instance with most of the prompt cached, unless the load is uneven", prefix_aware_options,
                make_prefix_aware},
    RouterEntry{"slo-aware", "The instance with the earliest estimated first token", {}, make_plain<SloAwareRouter>},
    RouterEntry{"cost-aware", "The cheapest instance that is estimated to keep the TTFT objective", {}, make_plain<CostAwareRouter>},
    RouterEntry{"session-affinity", "Always the same instance for a session", {}, make_seeded<SessionAffinityRouter>},
};

}  // namespace

std::span<const RouterEntry> routers() { return entries; }

const RouterEntry* find_router(std::string_view name) {
  const auto found = std::ranges::find(entries, name, &RouterEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace rackwright::policies
