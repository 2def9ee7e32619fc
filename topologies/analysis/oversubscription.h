#pragma once

#include <string>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// Bandwidth downwards over bandwidth upwards of the switches of one tier.
struct TierOversubscription {
  int tier = 0;
  int switches = 0;  ///< Those that have links upwards.
  double down = 0;   ///< B/s in one direction, all of them together.
  double up = 0;
  double least = 0;  ///< Ratio of the best and of the worst switch.
  double most = 0;
  double ratio() const { return down / up; }
};
std::vector<TierOversubscription> oversubscription_by_tier(const Topology& topology);

/// Bandwidth from outside the switches into a pod over bandwidth from its switches to others: what a pod's hosts share
/// when all of them send to other pods. For a dragonfly, the taper of its groups.
struct PodOversubscription {
  int pods = 0;      ///< Those with switches that leave them.
  double least = 0;
  double most = 0;
};
PodOversubscription oversubscription_of_pods(const Topology& topology);

}  // namespace rackwright::topologies
