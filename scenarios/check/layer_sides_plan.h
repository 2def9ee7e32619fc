#pragma once

#include <vector>

#include "scenarios/check/pool_plan.h"
#include "scenarios/spec/scenario_spec.h"

namespace rackwright::scenarios {

/// Joins the costs of every attention pool and of the feed-forward pool that serves it into that of their common step.
///
/// A token goes once to every feed-forward instance that has experts for it: to min(N, chosen experts) of N, or to one
/// where networks are dense.
void plan_layer_sides(const ScenarioSpec& scenario, const FabricPlan* fabric, std::vector<PoolPlan>& plans);

}  // namespace rackwright::scenarios
