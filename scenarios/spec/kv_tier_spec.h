#pragma once

#include <optional>
#include <string>

namespace rackwright::scenarios {

/// Memory below the devices' that keeps KV of one instance.
struct KvTierSpec {
  std::string name;
  double capacity_bytes = 0;
  std::optional<double> bytes_per_s;  ///< As given; else the host links of the instance's devices.
  double latency_s = 0;
};

}  // namespace rackwright::scenarios
