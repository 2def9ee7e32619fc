#pragma once

#include <string>
#include <vector>

#include "models/llm/sharding.h"
#include "scenarios/spec/hall_spec.h"

namespace rackwright::v1 {
class Experts;
class Pool;
}

namespace rackwright::scenarios {

class Findings;

/// How a pool's experts are chosen and placed, without what a table counts. `racks` say how many devices make up a node.
llm::ExpertSpread expert_spread(const v1::Experts& written, const llm::ModelShape& model, const RackGroupSpec& racks);

/// Warns of parameters of `experts` that are without effect in this pool.
void warn_of_idle_experts(const v1::Pool& written, const llm::ModelShape& model, const llm::Parallelism& degrees, const std::string& path,
                          Findings& findings);

/// Shares of each layer's choices from a CSV file with the columns layer, expert and tokens; experts that a layer does not
/// name have no tokens. What is wrong with the file is a finding at its line.
std::vector<std::vector<double>> read_expert_table(const std::string& file, std::string content, int experts, const std::string& path,
                                                   Findings& findings);

/// Experts of a layer that has some; 0 when none has.
int expert_count(const llm::ModelShape& model);

}  // namespace rackwright::scenarios
