#pragma once

#include <string>

#include "models/cost/stated_step_cost.h"

namespace rackwright::v1 {
class Pool;
class StepTimes;
}

namespace rackwright::scenarios {

class Findings;

/// The stated times of a pool's steps. Power is that of one device, and 0 where only the device's own limit is known.
cost::StatedStepTimes step_times(const v1::StepTimes& written, const std::string& path, Findings& findings);

/// Warns of what a pool with stated step times gives beside them without effect.
void warn_beside_step_times(const v1::Pool& written, const std::string& path, Findings& findings);

}  // namespace rackwright::scenarios
