#pragma once

#include "scenarios/spec/scenario_spec.h"

namespace rackwright::scenarios {

class Findings;

/// A run whose pools stand on devices without idle or limit power goes on without any figure of power or energy. One warning
/// says of which devices what is missing.
void warn_of_unknown_power(const ScenarioSpec& scenario, Findings& findings);

}  // namespace rackwright::scenarios
