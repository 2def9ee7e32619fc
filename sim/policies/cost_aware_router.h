#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// The cheapest instance whose estimated first token keeps the request's deadline; of equally cheap ones the earliest.
/// When none keeps it, the earliest of all. A request without a deadline goes to the cheapest.
class CostAwareRouter final : public serving::Router {
 public:
  std::uint32_t choose(const serving::Sequence& request, const serving::RoutingView& view) const override;
};

}  // namespace rackwright::policies
