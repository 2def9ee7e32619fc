#pragma once

#include <string>
#include <vector>

#include "scenarios/check/pool_plan.h"
#include "scenarios/spec/scenario_spec.h"
#include "sim/run/kv_transports.h"
#include "sim/serving/serving_system.h"

namespace rackwright::run {

/// "colocated", "prefill", "decode": as a run describes its pools.
std::string role_name(scenarios::PoolRole role);

/// What a pool does of its requests' work, and how KV comes to it.
void disaggregate(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan, serving::PoolSpec& spec);

/// Where KV goes, by instance; empty when none moves.
std::vector<KvEnd> kv_ends(const scenarios::ScenarioSpec& scenario, const std::vector<scenarios::PoolPlan>& plans);

/// Which pools work within the steps of which others (drafts, feed-forward networks), and which tokens of a draft are accepted.
void join_pools(const scenarios::ScenarioSpec& scenario, serving::ServingSpec& serving);

}  // namespace rackwright::run
