#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// The fewest queued requests, whatever runs; ties to the lowest index (Vidur's "least outstanding requests").
class LeastWaitingRouter final : public serving::Router {
 public:
  std::uint32_t choose(const serving::Sequence&, const serving::RoutingView& view) const override {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < view.size(); ++i)
      if (view.waiting(i) < view.waiting(best)) best = i;
    return best;
  }
};

}  // namespace rackwright::policies
