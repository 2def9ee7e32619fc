#include "sim/policies/slo_aware_router.h"

namespace rackwright::policies {

std::uint32_t SloAwareRouter::choose(const serving::Sequence& request, const serving::RoutingView& view) const {
  std::uint32_t best = 0;
  SimTime earliest = SimTime::max();
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    const SimTime estimate = view.estimated_first_token(i, request);
    if (estimate >= earliest) continue;
    best = i;
    earliest = estimate;
  }
  return best;
}

}  // namespace rackwright::policies
