#pragma once

#include "models/base/random.h"
#include "sim/serving/router.h"

namespace rackwright::policies {

/// Of two instances drawn at random, the one with fewer requests queued or running (Mitzenmacher 2001): nearly as even
/// as the least loaded of all, and cheap where asking everyone is not.
class PowerOfTwoRouter final : public serving::Router {
 public:
  explicit PowerOfTwoRouter(std::uint64_t seed) : random_(seed, "routing", "power-of-two") {}

  std::uint32_t choose(const serving::Sequence& request, const serving::RoutingView& view) const override {
    if (view.size() == 1) return 0;
    RandomStream draw = random_.at(request.request);
    const auto first = static_cast<std::uint32_t>(draw() % view.size());
    auto second = static_cast<std::uint32_t>(draw() % (view.size() - 1));
    if (second >= first) ++second;  // Two different ones.
    return view.outstanding(second) < view.outstanding(first) ? second : first;
  }

 private:
  RandomStream random_;
};

}  // namespace rackwright::policies
