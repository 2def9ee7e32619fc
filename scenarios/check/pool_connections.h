#pragma once

#include <cstddef>
#include <vector>

#include "scenarios/check/fabric_plan.h"

namespace rackwright::scenarios {

/// Pools that send to each other over the network of the hall, since the scenario states no bandwidth between them: KV of
/// prompts that are computed elsewhere, tokens of drafts, activations between both sides of the layers.
std::vector<PoolConnection> pool_connections(const ScenarioSpec& scenario);

/// What was planned from one pool to the other; null where there was none, or no network.
const ConnectionPlan* find_connection(const FabricPlan* fabric, std::size_t from, std::size_t to);

}  // namespace rackwright::scenarios
