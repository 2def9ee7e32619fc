#include "sim/policies/prefix_aware_router.h"

#include <algorithm>

namespace rackwright::policies {

std::uint32_t PrefixAwareRouter::choose(const serving::Sequence& request, const serving::RoutingView& view) const {
  const std::uint32_t least_loaded = view.least_outstanding();
  const int least = view.outstanding(least_loaded);
  int most = least;
  std::uint32_t best = least_loaded;
  std::int64_t best_cached = view.cached_tokens(best, request);
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    most = std::max(most, view.outstanding(i));
    const std::int64_t cached = view.cached_tokens(i, request);
    const bool is_better = cached > best_cached || (cached == best_cached && view.outstanding(i) < view.outstanding(best));
    if (!is_better) continue;
    best = i;
    best_cached = cached;
  }
  const bool is_uneven = most - least > options_.imbalance_requests && most > options_.imbalance_ratio * least;
  const bool is_cached = static_cast<double>(best_cached) > options_.match_threshold * request.input_tokens;
  return is_cached && !is_uneven ? best : least_loaded;
}

}  // namespace rackwright::policies
