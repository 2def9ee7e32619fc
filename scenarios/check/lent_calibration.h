#pragma once

#include <string>

#include "models/cost/make_step_cost.h"
#include "scenarios/spec/hall_spec.h"

namespace rackwright::scenarios {

class Catalog;
class Findings;

/// Gives `inputs` the profile and the peaks of the device that the racks name to be calibrated from, unless they have a
/// profile of their own. A device without a profile is a finding.
void lend_calibration(const RackGroupSpec& racks, const std::string& pool_path, const Catalog& catalog, cost::StepCostInputs& inputs,
                      Findings& findings);

}  // namespace rackwright::scenarios
