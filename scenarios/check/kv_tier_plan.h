#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/hardware/device_spec.h"
#include "scenarios/spec/pool_spec.h"

namespace rackwright::scenarios {

class Findings;

/// A tier below the devices' memory, in tokens of the pool's model.
struct KvTierPlan {
  std::string name;
  std::int64_t capacity_tokens = 0;
  double tokens_per_s = 0;
  double latency_s = 0;
  bool is_shared = false;  ///< By all instances of the pool.
};

/// `bytes_per_token` of KV on one device. Every device of a sequence's tensor group and stages has its share: copies that
/// devices hold of the same KV head are kept and loaded as often.
std::vector<KvTierPlan> kv_tier_plans(const PoolSpec& pool, const hardware::DeviceSpec& device, double bytes_per_token,
                                      const std::string& path, Findings& findings);

}  // namespace rackwright::scenarios
