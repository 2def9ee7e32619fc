#include "scenarios/check/workload_fit.h"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// Rackwright's choice: with less, hardly a prompt of today fits, and whatever comes is turned away.
constexpr std::int64_t few_tokens = 2048;

/// Input and output of the mean generated request; nothing of a log, which is not read yet.
std::optional<std::int64_t> typical_tokens(const ScenarioSpec& scenario) {
  const auto& generator = scenario.workload.generator;
  if (!generator) return std::nullopt;
  return std::llround(generator->input_tokens.mean() + generator->output_tokens.mean());
}

}  // namespace

void warn_of_unshared_prefixes(const ScenarioSpec& scenario, Findings& findings) {
  if (!scenario.workload.generator || scenario.workload.generator->conversations) return;
  const auto idle = [&](const std::string& path) {
    findings.diagnostics().warning(findings.place(path), "", fmt::format("no effect: {}, because the generated requests share no prefixes", path));
  };
  if (scenario.routing.policy == "prefix-aware") idle("routing.policy");
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const KvCacheSpec& cache = scenario.pools[i].kv_cache;
    if (!cache.tiers.empty() && !cache.swaps && cache.prefix_caching) idle(fmt::format("deployment[{}].kv_cache.tiers", i));
  }
}

void warn_of_small_caches(const ScenarioSpec& scenario, const std::vector<PoolPlan>& plans, Findings& findings) {
  const std::optional<std::int64_t> typical = typical_tokens(scenario);
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    if (pool.kv_cache.blocks || pool.role == PoolRole::ffn) continue;
    const std::int64_t tokens = plans[i].kv_blocks * pool.kv_cache.block_tokens;
    const bool is_less_than_typical = typical && tokens < *typical;
    if (tokens >= few_tokens && !is_less_than_typical) continue;
    findings.warning(fmt::format("deployment[{}].kv_cache", i),
                     fmt::format("the memory of an instance leaves room for {} tokens of KV cache{}: longer requests are rejected", tokens,
                                 is_less_than_typical ? fmt::format(", and the mean request has {}", *typical) : ""),
                     "spread the model over more devices, or store weights or KV cache in a narrower format");
  }
}

}  // namespace rackwright::scenarios
