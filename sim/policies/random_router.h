#pragma once

#include "models/base/random.h"
#include "sim/serving/router.h"

namespace rackwright::policies {

/// Any instance, whatever it has to do: what others are measured against. The draw is the request's own, so that another
/// request more or less moves nobody.
class RandomRouter final : public serving::Router {
 public:
  explicit RandomRouter(std::uint64_t seed) : random_(seed, "routing", "random") {}

  std::uint32_t choose(const serving::Sequence& request, const serving::RoutingView& view) const override {
    return static_cast<std::uint32_t>(random_.at(request.request)() % view.size());
  }

 private:
  RandomStream random_;
};

}  // namespace rackwright::policies
