#pragma once

#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "sim/run/node_traffic.h"

namespace rackwright::run {

/// What instances that lie on several nodes exchange with each step, by instance. Experts: tokens to them and back, every node
/// with every other. Tensor groups: their collectives, as a ring over the nodes. Empty where it cannot be late: without a
/// network, or with one such instance, no other transfer, and a network as fast as the nodes' cards, of which the cost of a
/// step knows. Their steps are jumped over then, at their cost.
std::vector<InstanceTraffic> group_traffic(const scenarios::CheckedScenario& checked);

}  // namespace rackwright::run
