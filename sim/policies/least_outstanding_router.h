#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// The instance with the fewest requests queued or running; the first of several.
class LeastOutstandingRouter final : public serving::Router {
 public:
  std::uint32_t choose(const serving::Sequence&, const serving::RoutingView& view) const override {
    return view.least_outstanding();
  }
};

}  // namespace rackwright::policies
