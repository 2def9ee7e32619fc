#pragma once

#include "sim/serving/router.h"

namespace rackwright::policies {

/// The instance with the earliest estimated first token; the first of several. Unlike counts of requests, the estimate
/// knows the speed of the instance and the length of what waits there.
class SloAwareRouter final : public serving::Router {
 public:
  std::uint32_t choose(const serving::Sequence& request, const serving::RoutingView& view) const override;
};

}  // namespace rackwright::policies
