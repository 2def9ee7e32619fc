#include "sim/cli/explain_verb.h"

#include <CLI/CLI.hpp>

#include "scenarios/schema/explain.h"
#include "scenarios/schema/scenario.pb.h"
#include "sim/cli/console.h"

namespace rackwright::cli {

void ExplainVerb::declare(CLI::App& app) {
  app.add_option("PATH", path_, "a parameter, such as deployment.scheduler.token_budget (default: all)");
}

ExitCode ExplainVerb::run(Console& console) {
  std::string problem;
  const auto text = scenarios::explain_text(scenarios::describe(*v1::Scenario::descriptor()), path_, problem);
  if (!text) {
    console.error(problem);
    return ExitCode::bad_input;
  }
  console.out() << *text;
  return ExitCode::ok;
}

}  // namespace rackwright::cli
