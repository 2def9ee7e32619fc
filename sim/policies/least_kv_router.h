#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// The instance with the smallest part of its KV memory in use; the first of several.
class LeastKvRouter final : public serving::Router {
 public:
  std::uint32_t choose(const serving::Sequence&, const serving::RoutingView& view) const override {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < view.size(); ++i)
      if (view.kv_used(i) < view.kv_used(best)) best = i;
    return best;
  }
};

}  // namespace rackwright::policies
