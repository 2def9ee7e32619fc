#pragma once

#include <vector>

#include "scenarios/check/pool_plan.h"

namespace rackwright::scenarios {

/// Warns of tiers and prefix-aware routing where the generated requests share no prefixes.
void warn_of_unshared_prefixes(const ScenarioSpec& scenario, Findings& findings);

/// Warns of instances whose memory leaves room for fewer KV tokens than a typical request, or than a step, needs.
void warn_of_small_caches(const ScenarioSpec& scenario, const std::vector<PoolPlan>& plans, Findings& findings);

}  // namespace rackwright::scenarios
