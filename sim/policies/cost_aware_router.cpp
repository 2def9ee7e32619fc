#include "sim/policies/cost_aware_router.h"

#include <limits>
#include <tuple>

namespace rackwright::policies {

std::uint32_t CostAwareRouter::choose(const serving::Sequence& request, const serving::RoutingView& view) const {
  using Rank = std::tuple<bool, double, SimTime>;  // Late ones last, and all alike in cost.
  std::uint32_t best = 0;
  Rank least{true, std::numeric_limits<double>::infinity(), SimTime::max()};
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    const SimTime estimate = view.estimated_first_token(i, request);
    const bool is_late = estimate > request.deadline;
    const Rank rank{is_late, is_late ? 0 : view.cost_weight(i), estimate};
    if (!(rank < least)) continue;
    best = i;
    least = rank;
  }
  return best;
}

}  // namespace rackwright::policies
