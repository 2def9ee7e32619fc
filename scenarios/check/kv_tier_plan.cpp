#include "scenarios/check/kv_tier_plan.h"

#include <fmt/format.h>

#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {

std::vector<KvTierPlan> kv_tier_plans(const PoolSpec& pool, const hardware::DeviceSpec& device, double bytes_per_token,
                                      const std::string& path, Findings& findings) {
  std::vector<KvTierPlan> plans;
  const double token_bytes = bytes_per_token * pool.parallelism.tensor * pool.parallelism.pipeline;
  for (std::size_t i = 0; i < pool.kv_cache.tiers.size(); ++i) {
    const KvTierSpec& tier = pool.kv_cache.tiers[i];
    const std::string at = fmt::format("{}.kv_cache.tiers[{}]", path, i);
    double bytes_per_s = tier.bytes_per_s.value_or(0);
    if (!tier.bytes_per_s && device.host_link_bytes_per_s) bytes_per_s = *device.host_link_bytes_per_s * pool.devices_per_instance();
    if (bytes_per_s == 0) {
      findings.error(at + ".bandwidth", fmt::format("the catalog does not know the host link of {}", device.name), "give the bandwidth of the tier");
      continue;
    }
    const auto tokens = static_cast<std::int64_t>(tier.capacity_bytes / token_bytes);
    if (tokens < pool.kv_cache.block_tokens) {
      findings.error(at + ".capacity", fmt::format("it does not hold a block of {} tokens, {:.3g} bytes each", pool.kv_cache.block_tokens, token_bytes));
    }
    plans.push_back({tier.name, tokens, bytes_per_s / token_bytes, tier.latency_s, tier.is_shared});
  }
  return plans;
}

}  // namespace rackwright::scenarios
