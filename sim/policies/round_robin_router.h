#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// One instance after the other.
class RoundRobinRouter final : public serving::Router {
 public:
  std::uint32_t choose(const serving::Sequence&, const serving::RoutingView& view) const override {
    return static_cast<std::uint32_t>(view.routed() % view.size());
  }
};

}  // namespace rackwright::policies
