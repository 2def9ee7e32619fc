#pragma once

#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "sim/run/node_traffic.h"

namespace rackwright::run {

/// Adds what attention pools exchange with the feed-forward pools that serve them, over the network of the hall: all activations of a
/// step out, and back, as flows between every pair of their devices' ends. Nothing is added where nothing else is on the network:
/// the cost of a step knows then, and steps are jumped over.
void add_layer_traffic(const scenarios::CheckedScenario& checked, std::vector<InstanceTraffic>& by_instance);

}  // namespace rackwright::run
