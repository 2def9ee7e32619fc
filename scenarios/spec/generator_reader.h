#pragma once

#include "scenarios/spec/workload_spec.h"

namespace rackwright::v1 {
class Workload;
}

namespace rackwright::scenarios {

class Findings;

/// The statistical workload that `workload.generator` describes; `beside` has the tools, the speech and the completions of
/// the workload.
traces::GeneratorSpec generator_spec(const v1::Workload& workload, const WorkloadSpec& beside, Findings& findings);

}  // namespace rackwright::scenarios
