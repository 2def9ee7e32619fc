#pragma once

#include "models/base/random.h"
#include "sim/serving/router.h"

namespace rackwright::policies {

/// Requests of one session go to one instance, the highest bidder of rendezvous hashing, so that a change in the number
/// of instances moves few sessions. A request without a session goes to the least loaded instance.
class SessionAffinityRouter final : public serving::Router {
 public:
  explicit SessionAffinityRouter(std::uint64_t seed) : random_(seed, "routing", "session-affinity") {}

  std::uint32_t choose(const serving::Sequence& request, const serving::RoutingView& view) const override {
    if (request.session == 0) return view.least_outstanding();
    std::uint32_t best = 0;
    std::uint64_t highest = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const std::uint64_t bid = random_.at(request.session, i)();
      if (bid <= highest) continue;
      highest = bid;
      best = i;
    }
    return best;
  }

 private:
  RandomStream random_;
};

}  // namespace rackwright::policies
