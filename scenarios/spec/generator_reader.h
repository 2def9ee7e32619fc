#pragma once

#include "traces/generators/generator.h"

namespace rackwright::v1 {
class Workload;
}

namespace rackwright::scenarios {

class Findings;

/// The statistical workload that `workload.generator` describes.
traces::GeneratorSpec generator_spec(const v1::Workload& workload, Findings& findings);

}  // namespace rackwright::scenarios
