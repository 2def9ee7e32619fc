#include "sim/cli/run_verb.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_folder.h"
#include "scenarios/results/summary_json.h"
#include "sim/cli/console.h"
#include "sim/cli/interrupt_watcher.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/settings.h"
#include "sim/metrics/run_log.h"
#include "sim/metrics/step_log.h"
#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"
#include "sim/report/html_report.h"
#include "sim/report/summary_table.h"
#include "sim/run/observer_list.h"
#include "sim/run/open_workload.h"
#include "sim/run/prepared_run.h"
#include "sim/run/rate_match.h"
#include "sim/run/simulate.h"

namespace rackwright::cli {
namespace {

namespace fs = std::filesystem;

/// Shows how far the run has come each time a request leaves.
class ProgressObserver final : public metrics::RunObserver {
 public:
  ProgressObserver(Console& console, const traces::RequestSource& requests) : line_(console) {
    if (const auto size = requests.size()) progress_.requests_total = static_cast<std::int64_t>(*size);
  }

  void on_request(const metrics::RequestOutcome& request) override {
    ++progress_.requests_done;
    progress_.now = std::max(progress_.now, request.last_token);
    // The line reads the host's clock; every 64th request is often enough.
    if (progress_.requests_done % 64 == 0) line_.update(progress_);
  }

 private:
  ProgressLine line_;
  Progress progress_;
};

ExitCode exit_code(const results::RunSummary& summary, bool gate) {
  if (summary.status == results::RunStatus::cancelled) return ExitCode::cancelled;
  if (summary.status == results::RunStatus::stalled) return ExitCode::stalled;
  if (gate && summary.slo) {
    for (const results::Objective& objective : summary.slo->objectives) {
      if (!objective.met) return ExitCode::gate_failed;
    }
  }
  return ExitCode::ok;
}

run::SimulationLimits limits_of(const scenarios::ScenarioSpec& scenario, std::stop_token cancelled) {
  run::SimulationLimits limits;
  if (scenario.simulated_time_limit_s) limits.simulated_time = sim_time(*scenario.simulated_time_limit_s);
  limits.no_progress = sim_time(scenario.no_progress_limit_s);
  limits.cancelled = std::move(cancelled);
  return limits;
}

}  // namespace

void RunVerb::declare(CLI::App& app) {
  app.add_option("SCENARIO", scenario_, "a scenario file: YAML, JSON, textproto or binary")->required();
  app.add_option("-o,--out", output_, "the run folder (default: runs/NAME, numbered when taken)");
  app.add_option("--set", settings_, "PATH=VALUE: change the scenario, as often as needed")->allow_extra_args(false);
  app.add_option("--seed", seed_, "seed of every random stream, in place of the scenario's");
  app.add_flag("--force", force_, "replace an earlier run folder of this name");
  app.add_flag("--gate", gate_, "exit with 1 when a service-level objective is missed");
  app.add_flag("--walk", walk_, "take every step by itself instead of jumping over quiet stretches; results are the same");
  app.add_flag("--steps", steps_, "also write what every step of every instance computed to steps.pb in the run folder");
  app.add_flag("--statistics", statistics_, "say on stderr how many events the simulation took");
}

ExitCode RunVerb::run(Console& console) {
  Diagnostics diagnostics;
  std::vector<scenarios::Setting> settings = parse_settings(settings_, diagnostics);
  if (seed_) settings.push_back({"seed", std::to_string(*seed_)});
  console.show(diagnostics);
  if (diagnostics.has_errors()) return ExitCode::bad_input;

  const scenarios::Catalog catalog;
  scenarios::CheckedScenario scenario = scenarios::check_scenario_file(scenario_, settings, catalog);
  run::Workload workload;
  if (!scenario.diagnostics.has_errors()) workload = run::open_workload(scenario);
  console.show(scenario.diagnostics);
  if (scenario.diagnostics.has_errors()) return ExitCode::bad_input;

  const fs::path named = output_.empty() ? fs::path("runs") / fs::path(scenario_).stem() : fs::path(output_);
  const auto existing = force_ ? results::ExistingFolder::replace : output_.empty() ? results::ExistingFolder::number : results::ExistingFolder::refuse;
  if (existing == results::ExistingFolder::refuse && results::is_taken(named)) {
    console.error("the folder '" + named.string() + "' exists already", "give another --out, or --force to replace it");
    return ExitCode::bad_input;
  }

  run::PreparedRun prepared = run::prepare(scenario, walk_ ? serving::Jumping::off : serving::Jumping::on);
  if (workload.input) prepared.description.inputs.push_back(*workload.input);
  prepared.description.trace_report = workload.report;
  prepared.layout.window = workload.window;
  prepared.layout.has_chains = workload.has_chains;

  InterruptWatcher interrupts;
  results::RunFolderWriter writer(named, existing, prepared.description);
  metrics::SummaryCollector summary(prepared.description, prepared.layout);
  std::optional<SimTime> period;
  if (scenario.spec.timeline_period_s) period = sim_time(*scenario.spec.timeline_period_s);
  metrics::TimelineCollector timeline(prepared.description, prepared.layout, period);
  metrics::RunLog log(writer, prepared.description, prepared.layout);
  run::SimulationResult simulated;
  {
    ProgressObserver progress(console, *workload.requests);
    std::vector<metrics::RunObserver*> watching{&summary, &timeline, &log, &progress};
    std::optional<metrics::StepLog> steps;
    if (steps_) watching.push_back(&steps.emplace(writer.keep_steps(static_cast<std::uint32_t>(prepared.layout.instances.size()))));
    run::ObserverList observers(std::move(watching));
    simulated = run::simulate(prepared.serving, *workload.requests, observers, limits_of(scenario.spec, interrupts.token()),
                              prepared.network ? &*prepared.network : nullptr);
  }

  if (simulated.network) summary.set_network(simulated.network->bytes, std::move(simulated.network->links));
  for (std::string& line : run::changes(workload)) prepared.warnings.push_back(std::move(line));
  results::RunSummary summed = summary.summary(simulated.end, prepared.warnings);
  run::add_balances(scenario.spec, scenario.plans, summed);
  results::RunResults results{std::move(summed), timeline.timeline(simulated.end), summary.curves()};
  if (simulated.network) simulated.network->over_time.add_to(results.timeline, simulated.network->classes);
  const bool whole = results.summary.status == results::RunStatus::complete;
  const std::string report = report::html_report({prepared.description, results, whole ? "" : results.summary.status_reason});
  if (whole) writer.finish(results, report);
  else writer.keep_partial(results, report);

  if (console.format() == Format::json) {
    console.out() << results::to_json(results.summary);
  } else {
    console.out() << report::summary_table(prepared.description, results.summary, console.out_style()) << "\nRun folder   "
                  << (whole ? writer.folder() : writer.partial_folder()).string() << '\n';
  }
  if (!whole) console.error(results.summary.status_reason, "what was simulated until then is in the partial folder");
  if (statistics_) console.note(std::to_string(simulated.events) + " events");
  return exit_code(results.summary, gate_);
}

}  // namespace rackwright::cli
