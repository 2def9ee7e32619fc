#pragma once

#include <vector>

#include "scenarios/results/run_description.h"

namespace rackwright::v1 {
class Scenario;
class Slo;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

/// The objectives that are given, in the order of the schema: the field ttft_p99 is {ttft, 0.99}.
std::vector<results::SloTarget> slo_targets(const v1::Slo& slo);

/// The unnamed class with the scenario's objectives, then the named ones; a class without objectives has the scenario's.
std::vector<results::RequestClass> request_classes(const v1::Scenario& scenario);

}  // namespace rackwright::scenarios
