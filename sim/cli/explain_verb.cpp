#include "sim/cli/explain_verb.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "scenarios/schema/explain.h"
#include "scenarios/schema/scenario.pb.h"
#include "sim/cli/console.h"
#include "sim/cli/explain_json.h"
#include "sim/cli/rate_match_lines.h"
#include "sim/cli/settings.h"
#include "sim/run/open_workload.h"

namespace rackwright::cli {

void ExplainVerb::declare(CLI::App& app) {
  app.add_option("PATH", path_, "a parameter, such as deployment.scheduler.token_budget, or a scenario's file (default: all parameters)");
  app.add_option("--set", settings_, "PATH=VALUE: change the scenario, as often as needed")->allow_extra_args(false);
}

ExitCode ExplainVerb::run(Console& console) {
  if (std::filesystem::is_regular_file(path_)) return explain_scenario(console);
  if (!settings_.empty()) {
    console.error("--set changes a scenario, and '" + path_ + "' is no file", "rackwright explain SCENARIO --set PATH=VALUE");
    return ExitCode::bad_input;
  }
  std::string problem;
  const scenarios::SchemaDescription schema = scenarios::describe(*v1::Scenario::descriptor());
  const std::optional<scenarios::SchemaPlace> place = scenarios::find_place(schema, path_, problem);
  if (!place) {
    console.error(problem);
    return ExitCode::bad_input;
  }
  if (console.format() == Format::json) console.out() << explain_json(*place).dump(2) << '\n';
  else console.out() << *scenarios::explain_text(schema, path_, problem);
  return ExitCode::ok;
}

ExitCode ExplainVerb::explain_scenario(Console& console) const {
  Diagnostics usage;
  const std::vector<scenarios::Setting> settings = parse_settings(settings_, usage);
  console.show(usage);
  if (usage.has_errors()) return ExitCode::bad_input;
  const scenarios::Catalog catalog;
  scenarios::CheckedScenario scenario = scenarios::check_scenario_file(path_, settings, catalog);
  run::Workload workload;
  if (!scenario.diagnostics.has_errors()) workload = run::open_workload(scenario);
  console.show(scenario.diagnostics);
  if (scenario.diagnostics.has_errors()) return ExitCode::bad_input;
  if (console.format() == Format::json) {
    console.out() << rate_match_json(scenario, *workload.requests).dump(2) << '\n';
    return ExitCode::ok;
  }
  const std::string lines = rate_match_lines(scenario, *workload.requests);
  console.out() << (lines.empty() ? "No pool hands prompts over to another, or computes part of its layers: there are no rates to match.\n" : lines);
  return ExitCode::ok;
}

}  // namespace rackwright::cli
