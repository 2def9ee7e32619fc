#pragma once

#include <span>
#include <vector>

#include "scenarios/spec/pool_spec.h"

namespace rackwright::v1 {
class Scenario;
}

namespace rackwright::scenarios {

class Findings;

/// The shape of each deployment's model, in their order; absent where it could not be read.
using ModelShapes = std::vector<std::optional<llm::ModelShape>>;

/// `drafts`: the shapes of the models that pools speculate with on their own devices. The pools of a resolved scenario. Placements that do not exist, overlap or leave no room for one instance are findings.
std::vector<PoolSpec> pool_specs(const v1::Scenario& scenario, std::span<const std::string> model_names,
                                 const ModelShapes& models, const ModelShapes& drafts, const HallSpec& hall, Findings& findings);

}  // namespace rackwright::scenarios
