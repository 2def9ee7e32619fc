#include "scenarios/spec/kv_tier_reader.h"

#include <fmt/format.h>

#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

bool never_preempts(v1::SchedulerPolicy policy) {
  return policy == v1::SCHEDULER_POLICY_ORCA || policy == v1::SCHEDULER_POLICY_STATIC || policy == v1::SCHEDULER_POLICY_SGLANG;
}

bool is_shared(const v1::KvTier& tier) { return effective_choice<v1::TierScope>(tier, v1::KvTier::kScopeFieldNumber) == v1::TIER_SCOPE_POOL; }

}  // namespace

std::vector<KvTierSpec> kv_tier_specs(const v1::Pool& written) {
  std::vector<KvTierSpec> tiers;
  for (const v1::KvTier& tier : written.kv_cache().tiers()) {
    KvTierSpec& spec = tiers.emplace_back();
    spec.name = tier.tier();
    spec.capacity_bytes = tier.capacity();
    if (tier.has_bandwidth()) spec.bytes_per_s = tier.bandwidth();
    spec.is_shared = is_shared(tier);
    spec.latency_s = effective_quantity(tier, v1::KvTier::kLatencyFieldNumber);
  }
  return tiers;
}

void check_kv_tiers(const v1::Pool& written, const std::string& path, Findings& findings) {
  const v1::KvCache& cache = written.kv_cache();
  const auto preemption = effective_choice<v1::PreemptionRule>(cache, v1::KvCache::kPreemptionFieldNumber);
  const bool swaps = preemption == v1::PREEMPTION_RULE_SWAP;
  const auto idle = [&](const std::string& field, const char* reason) {
    const std::string at = path + ".kv_cache." + field;
    findings.diagnostics().warning(findings.place(at), "", fmt::format("no effect: {}, because {}", at, reason));
  };
  if (swaps && cache.tiers().empty()) {
    findings.error(path + ".kv_cache.preemption", "nothing says where preempted sequences are swapped to", "add a tier to kv_cache.tiers");
  }
  const auto policy = effective_choice<v1::SchedulerPolicy>(written.scheduler(), v1::Scheduler::kPolicyFieldNumber);
  if (swaps && never_preempts(policy)) idle("preemption", "the scheduling policy never preempts");
  const bool caches = effective_truth(cache, v1::KvCache::kPrefixCachingFieldNumber);
  if (!cache.tiers().empty() && !caches && (!swaps || never_preempts(policy))) idle("tiers", "neither prefixes are cached nor sequences swapped");
  for (int i = 0; i < cache.tiers_size(); ++i) {
    if (cache.tiers(i).tier().empty()) findings.error(fmt::format("{}.kv_cache.tiers[{}].tier", path, i), "a tier needs a name");
  }
  for (int i = 0; i < cache.tiers_size(); ++i) {
    const std::string at = fmt::format("{}.kv_cache.tiers[{}]", path, i);
    if (i == 0 && is_shared(cache.tiers(i)) && !cache.tiers(i).has_bandwidth())
      findings.error(at + ".bandwidth", "nothing says how fast KV comes from a tier that the pool shares", "give the bandwidth of its link, such as 50 GB/s");
    if (i > 0 && is_shared(cache.tiers(i - 1)) && !is_shared(cache.tiers(i)))
      findings.error(at + ".scope", "a tier behind one that the pool shares is the pool's too", "write scope: pool, or change the order");
  }
  for (int i = 1; i < cache.tiers_size(); ++i) {
    if (!cache.tiers(i).has_bandwidth())
      findings.error(fmt::format("{}.kv_cache.tiers[{}].bandwidth", path, i), "nothing says how fast KV comes from this tier", "only the first tier has a default");
    if (!caches) idle(fmt::format("tiers[{}]", i), "prefixes are not cached, and sequences are swapped to the first tier");
  }
}

}  // namespace rackwright::scenarios
