#pragma once

#include "scenarios/check/fabric_plan.h"

namespace rackwright::v1 {
class Fabric;
}

namespace rackwright::scenarios {

/// Warns of what a scenario says of its network though nothing of the run goes that way: mechanisms and joins that carry
/// nothing, sums in switches that no group asks for, failures that do not happen.
void warn_of_idle_fabric(const v1::Fabric& written, const ScenarioSpec& scenario, const FabricPlan& fabric, Findings& findings);

}  // namespace rackwright::scenarios
