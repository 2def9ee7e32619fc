#include "scenarios/check/workload_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

/// Rackwright's choice: with less, hardly a prompt of today fits, and whatever comes is turned away.
constexpr std::int64_t few_tokens = 2048;

/// Input and output of the mean generated request, of the class with the longest ones; nothing of a log, which is not read yet.
std::optional<std::int64_t> typical_tokens(const ScenarioSpec& scenario) {
  const auto& generator = scenario.workload.generator;
  if (!generator) return std::nullopt;
  if (generator->chain) return std::nullopt;  // Its prompts grow.
  const auto tokens = [](const traces::GeneratorSpec& one) { return std::llround(one.input_tokens.mean() + one.output_tokens.mean()); };
  if (generator->mix.empty()) return tokens(*generator);
  std::int64_t most = 0;
  for (const traces::GeneratorSpec& part : generator->mix) most = std::max<std::int64_t>(most, tokens(part));
  return most;
}

bool shares_prefixes(const ScenarioSpec& scenario) {
  const traces::GeneratorSpec& generator = *scenario.workload.generator;
  const auto converses = [](const traces::GeneratorSpec& one) { return one.conversations.has_value(); };
  return generator.chain || scenario.workload.samples > 1 || converses(generator) || std::ranges::any_of(generator.mix, converses);
}

}  // namespace

void warn_of_unshared_prefixes(const ScenarioSpec& scenario, Findings& findings) {
  if (!scenario.workload.generator || shares_prefixes(scenario)) return;
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
    const std::int64_t tokens = plans[i].kv_layout.longest(plans[i].kv_blocks);
    const bool is_less_than_typical = typical && tokens < *typical;
    if (tokens >= few_tokens && !is_less_than_typical) continue;
    findings.warning(fmt::format("deployment[{}].kv_cache", i),
                     fmt::format("the memory of an instance leaves room for {} tokens of KV cache{}: longer requests are rejected", tokens,
                                 is_less_than_typical ? fmt::format(", and the mean request has {}", *typical) : ""),
                     "spread the model over more devices, or store weights or KV cache in a narrower format");
  }
}

}  // namespace rackwright::scenarios
