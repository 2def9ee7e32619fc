#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// Defaults of SGLang's router (cache_aware policy, as its log prints them in February 2026).
struct PrefixAwareOptions {
  double match_threshold = 0.3;     ///< cache_threshold: part of the prompt that must be cached to follow the cache.
  int imbalance_requests = 64;      ///< balance_abs_threshold, and
  double imbalance_ratio = 1.5;     ///< balance_rel_threshold: beyond both, load alone counts.
};

/// Follows the cache while the load is even: the instance that has most of the prompt cached, if that is more than the
/// threshold; otherwise, and whenever the most loaded instance exceeds the least loaded one by both measures, the least
/// loaded. It sees what instances have cached now, not an estimate from past requests.
class PrefixAwareRouter final : public serving::Router {
 public:
  explicit PrefixAwareRouter(const PrefixAwareOptions& options) : options_(options) {}

  std::uint32_t choose(const serving::Sequence& request, const serving::RoutingView& view) const override;

 private:
  PrefixAwareOptions options_;
};

}  // namespace rackwright::policies
