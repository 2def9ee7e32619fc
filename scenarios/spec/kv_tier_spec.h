#pragma once

#include <optional>
#include <string>

namespace rackwright::scenarios {

/// Memory below the devices' that keeps KV.
struct KvTierSpec {
  std::string name;
  double capacity_bytes = 0;
  std::optional<double> bytes_per_s;  ///< As given; else the host links of the instance's devices.
  double latency_s = 0;
  bool is_shared = false;  ///< By all instances of the pool.
};

}  // namespace rackwright::scenarios
