#pragma once

#include <string>
#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_description.h"
#include "sim/metrics/run_layout.h"
#include "sim/run/run_network.h"
#include "sim/serving/serving_system.h"

namespace rackwright::run {

/// What a checked scenario becomes before time passes: the serving side, and what observers must know of it.
struct PreparedRun {
  results::RunDescription description;
  metrics::RunLayout layout;
  serving::ServingSpec serving;
  std::optional<NetworkSetup> network;  ///< Where the scenario has one.
  std::vector<std::string> warnings;  ///< For the summary: findings of the check, and power that is left out.
};

/// `scenario` has no errors.
PreparedRun prepare(const scenarios::CheckedScenario& scenario, serving::Jumping jumping);

}  // namespace rackwright::run
