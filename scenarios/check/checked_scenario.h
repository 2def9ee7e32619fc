#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/base/diagnostic.h"
#include "scenarios/check/fabric_plan.h"
#include "scenarios/check/pool_plan.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/results/run_description.h"
#include "scenarios/spec/scenario_spec.h"

namespace rackwright::v1 {
class Scenario;
}

namespace rackwright::scenarios {

class Catalog;

/// One `--set PATH=VALUE`.
struct Setting {
  std::string path;
  std::string value;
};

/// A scenario that was read, resolved and planned, with everything found on the way.
/// `spec` and `plans` are complete only when there are no errors.
struct CheckedScenario {
  CheckedScenario();
  CheckedScenario(CheckedScenario&&) noexcept;
  ~CheckedScenario();

  std::unique_ptr<v1::Scenario> written;   ///< As the file and the settings have it.
  std::unique_ptr<v1::Scenario> resolved;  ///< With presets expanded and defaults filled in.
  SourceMap places;
  ScenarioSpec spec;
  std::vector<PoolPlan> plans;
  std::optional<FabricPlan> fabric;  ///< When the scenario gives one or pools talk to each other.
  std::vector<results::InputFile> inputs;  ///< The scenario and the files it refers to.
  std::vector<std::string> unverified;     ///< Catalog figures from memory that it stands on, a line each.
  Diagnostics diagnostics;
};

/// Reads a scenario from its bytes. `file` names it in findings and says beside which folder other files are sought.
/// All findings of one pass, not the first.
CheckedScenario check_scenario(const std::string& file, std::string bytes, const std::vector<Setting>& settings,
                               const Catalog& catalog);

/// The same from a file. Throws EnvironmentError when it cannot be read.
CheckedScenario check_scenario_file(const std::string& file, const std::vector<Setting>& settings, const Catalog& catalog);

}  // namespace rackwright::scenarios
