#include "tests/support/scenario_run.h"

#include <optional>
#include <stdexcept>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/requests_csv.h"
#include "scenarios/results/summary_json.h"
#include "scenarios/results/timeline_csv.h"
#include "sim/metrics/step_log.h"
#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"
#include "sim/run/observer_list.h"
#include "sim/run/open_workload.h"
#include "sim/run/prepared_run.h"
#include "sim/run/rate_match.h"
#include "sim/run/simulate.h"

namespace rackwright::test {
namespace {

class Steps final : public metrics::RunObserver {
 public:
  void on_stretch(const metrics::Stretch& stretch) override { all.push_back(metrics::to_step_stretch(stretch)); }
  std::vector<results::StepStretch> all;
};

class Requests final : public metrics::RunObserver {
 public:
  void on_request(const metrics::RequestOutcome& request) override { all.push_back(request); }
  std::vector<metrics::RequestOutcome> all;
};

void require_clean(const Diagnostics& diagnostics) {
  for (const Diagnostic& finding : diagnostics.all()) {
    if (finding.severity == Severity::error) throw std::runtime_error(to_string(finding));
  }
}

ScenarioRun run_checked(scenarios::CheckedScenario scenario, serving::Jumping jumping) {
  require_clean(scenario.diagnostics);
  const run::Workload workload = run::open_workload(scenario);
  require_clean(scenario.diagnostics);
  run::PreparedRun prepared = run::prepare(scenario, jumping);
  prepared.layout.window = workload.window;
  prepared.layout.has_chains = workload.has_chains;

  metrics::SummaryCollector summary(prepared.description, prepared.layout);
  metrics::TimelineCollector timeline(prepared.description, prepared.layout);
  Requests requests;
  Steps steps;
  run::ObserverList observers({&summary, &timeline, &requests, &steps});
  run::SimulationLimits limits;
  limits.no_progress = sim_time(scenario.spec.no_progress_limit_s);
  if (scenario.spec.simulated_time_limit_s) limits.simulated_time = sim_time(*scenario.spec.simulated_time_limit_s);
  run::SimulationResult simulated =
      run::simulate(prepared.serving, *workload.requests, observers, limits, prepared.network ? &*prepared.network : nullptr);
  const metrics::RunEnd& end = simulated.end;
  if (simulated.network) summary.set_network(simulated.network->bytes, std::move(simulated.network->links));

  for (std::string& line : run::changes(workload)) prepared.warnings.push_back(std::move(line));
  ScenarioRun run;
  run.summary = summary.summary(end, prepared.warnings);
  run::add_balances(scenario.spec, scenario.plans, run.summary);
  run.summary_json = results::to_json(run.summary);
  run.timeline_csv = results::to_csv(timeline.timeline(end));
  run.requests = std::move(requests.all);
  run.steps = std::move(steps.all);
  const results::RequestsCsv rows(prepared.description);
  for (const metrics::RequestOutcome& request : run.requests) rows.append(run.requests_csv, request);
  return run;
}

}  // namespace

ScenarioRun run_scenario(const std::string& text, serving::Jumping jumping, const std::vector<scenarios::Setting>& settings) {
  return run_checked(scenarios::check_scenario("scenario.yaml", text, settings, scenarios::Catalog()), jumping);
}

ScenarioRun run_scenario_file(const std::string& file, const std::vector<scenarios::Setting>& settings) {
  return run_checked(scenarios::check_scenario_file(file, settings, scenarios::Catalog()), serving::Jumping::on);
}

}  // namespace rackwright::test
