#pragma once

#include <optional>

#include "sim/run/node_traffic.h"

namespace rackwright::run {

/// What a step sends on one leg, for each token that it computes and each that it samples.
struct BytesOfLeg {
  double per_token = 0;
  double per_sample = 0;
};

/// A leg that the cost of a step prices as the network carries it with nothing else on it.
TrafficLeg traffic_leg(const topologies::DeviceSet& from, const topologies::DeviceSet& to, const BytesOfLeg& bytes,
                       const std::optional<cost::TransferMechanism>& mechanism, const topologies::DevicePaths& paths);

}  // namespace rackwright::run
