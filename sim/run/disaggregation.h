#pragma once

#include <string>

#include "scenarios/check/pool_plan.h"
#include "scenarios/spec/pool_spec.h"
#include "sim/serving/serving_system.h"

namespace rackwright::run {

/// "colocated", "prefill", "decode": as a run describes its pools.
std::string role_name(scenarios::PoolRole role);

/// What a pool does of its requests' work, and how KV comes to it.
void disaggregate(const scenarios::PoolSpec& pool, const scenarios::PoolPlan& plan, serving::PoolSpec& spec);

}  // namespace rackwright::run
