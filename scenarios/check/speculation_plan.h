#pragma once

#include <vector>

#include "scenarios/check/pool_plan.h"
#include "scenarios/spec/scenario_spec.h"

namespace rackwright::scenarios {

class Catalog;
class Findings;

/// Turns the costs of pools that speculate into those of verification with a draft. A draft on the same devices takes the
/// memory of its weights and KV from the pool; its steps have no host time of their own.
void plan_speculation(const ScenarioSpec& scenario, const Catalog& catalog, const FabricPlan* fabric, std::vector<PoolPlan>& plans,
                      Findings& findings);

}  // namespace rackwright::scenarios
