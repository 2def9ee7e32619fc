#pragma once

#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "sim/run/node_traffic.h"

namespace rackwright::run {

/// Adds what targets and drafts on devices of their own send each other in every step: drafted tokens one way, and as many bytes
/// back. Nothing where nothing can meet them: without a network between them, or with one pair and no other transfer. An
/// instance that sends something else with its steps keeps its drafts as costs.
void add_draft_traffic(const scenarios::CheckedScenario& checked, std::vector<InstanceTraffic>& by_instance);

}  // namespace rackwright::run
