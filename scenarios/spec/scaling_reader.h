#pragma once

#include <optional>
#include <string>

#include "scenarios/spec/scaling_spec.h"

namespace rackwright::v1 {
class Pool;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

class Findings;

/// Nothing where the pool is not scaled. `replicas` is how many the pool has at most; `path` is the pool's.
std::optional<ScalingSpec> scaling_spec(const v1::Pool& written, int replicas, const std::string& path, Findings& findings);

}  // namespace rackwright::scenarios
