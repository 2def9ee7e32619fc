#include "sim/run/traffic_leg.h"

namespace rackwright::run {

TrafficLeg traffic_leg(const topologies::DeviceSet& from, const topologies::DeviceSet& to, const BytesOfLeg& bytes,
                       const std::optional<cost::TransferMechanism>& mechanism, const topologies::DevicePaths& paths) {
  constexpr double long_bytes = 1e12;
  const auto seconds = [&](double size) { return paths.undisturbed_seconds({from, to, size, 0, 0, mechanism}).value(); };
  return {from, to, bytes.per_token, long_bytes / (seconds(long_bytes) - seconds(0)), mechanism, bytes.per_sample};
}

}  // namespace rackwright::run
