#pragma once

#include <string>
#include <vector>

#include "scenarios/results/run_description.h"
#include "scenarios/spec/pool_spec.h"

namespace rackwright::v1 {
class Scenario;
}

namespace rackwright::scenarios {

class Findings;

/// Gives pools whose `experts.load` is a table the shares that its file counts. Files are found as other inputs are, and
/// noted among them.
void read_expert_tables(const v1::Scenario& scenario, const std::string& scenario_file, std::vector<PoolSpec>& pools,
                        std::vector<results::InputFile>& inputs, Findings& findings);

}  // namespace rackwright::scenarios
