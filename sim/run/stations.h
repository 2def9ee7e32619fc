#pragma once

#include "scenarios/results/run_description.h"
#include "scenarios/spec/scenario_spec.h"
#include "sim/serving/serving_system.h"

namespace rackwright::run {

/// Puts stations, tools, speech and further completions into what is simulated and described.
void add_stations(const scenarios::ScenarioSpec& scenario, results::RunDescription& description, serving::ServingSpec& serving);

}  // namespace rackwright::run
