#pragma once

#include <string>
#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_summary.h"
#include "scenarios/results/step_stretch.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/instance.h"

namespace rackwright::test {

/// A whole run of a scenario text, in memory.
struct ScenarioRun {
  results::RunSummary summary;
  std::string summary_json;
  std::string timeline_csv;
  std::string requests_csv;  ///< Without the header.
  std::vector<metrics::RequestOutcome> requests;  ///< In order of leaving.
  std::vector<results::StepStretch> steps;        ///< In order of their ends.
};

/// Throws with the first finding when the scenario has errors.
ScenarioRun run_scenario(const std::string& text, serving::Jumping jumping = serving::Jumping::on,
                         const std::vector<scenarios::Setting>& settings = {});
/// The same for a file; inputs are sought beside it and under RACKWRIGHT_DATA.
ScenarioRun run_scenario_file(const std::string& file, const std::vector<scenarios::Setting>& settings = {});

}  // namespace rackwright::test
