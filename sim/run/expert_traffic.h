#pragma once

#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "sim/run/node_traffic.h"

namespace rackwright::run {

/// What instances whose experts lie on several nodes exchange with each step, by instance: tokens to the experts and back,
/// every node with every other. Empty where it cannot be late: without a network, or with one such instance, no other transfer,
/// and a network as fast as the nodes' cards, of which the cost of a step knows. Their steps are jumped over then, at their cost.
std::vector<InstanceTraffic> expert_traffic(const scenarios::CheckedScenario& checked);

}  // namespace rackwright::run
