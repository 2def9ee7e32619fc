#pragma once

#include <string>

#include "models/cost/execution_spec.h"

namespace rackwright::v1 {
class Execution;
}

namespace rackwright::scenarios {

class Findings;
struct SchedulerSpec;

/// How instances of `devices` execute their steps: as written, else as the engine named there does.
cost::ExecutionSpec execution_spec(const v1::Execution& written, const SchedulerSpec& scheduler, int devices, const std::string& path,
                                   Findings& findings);

}  // namespace rackwright::scenarios
