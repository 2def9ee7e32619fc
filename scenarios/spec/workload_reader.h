#pragma once

#include <string>
#include <vector>

#include "scenarios/results/run_description.h"
#include "scenarios/spec/pool_spec.h"
#include "scenarios/spec/workload_spec.h"

namespace rackwright::v1 {
class Scenario;
}

namespace rackwright::scenarios {

class Findings;

/// The workload of a resolved scenario. A workload without a trace or a generator, a trace that is nowhere, and models
/// that no pool serves are findings, and so are tools and speech that no station can do.
WorkloadSpec workload_spec(const v1::Scenario& scenario, const std::string& scenario_file, const std::vector<PoolSpec>& pools,
                           const std::vector<StationSpec>& stations, Findings& findings);

}  // namespace rackwright::scenarios
