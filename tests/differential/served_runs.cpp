#include "tests/differential/served_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "models/base/invariant.h"

namespace rackwright::test {
namespace {

constexpr const char* scenario = RACKWRIGHT_SOURCE_DIR "/scenarios/library/validation/h200_8b_served.yaml";

/// TTFT mean and p99, TPOT and end to end alike, requests/s, energy.
const std::array recorded{
    RecordedErrors{"chat_04", {0.05, 0.035, 0.04, 0.07, 0.04, 0.04, 0.005, 0.005}},
    RecordedErrors{"chat_08", {0.045, 0.06, 0.05, 0.035, 0.05, 0.07, 0.005, 0.005}},
    RecordedErrors{"chat_12", {0.05, 0.01, 0.055, 0.025, 0.06, 0.05, 0.005, 0.015}},
    RecordedErrors{"chat_16", {0.04, 0.02, 0.06, 0.05, 0.06, 0.045, 0.005, 0.015}},
    RecordedErrors{"chat_20", {0.21, 0.185, 0.04, 0.045, 0.055, 0.05, 0.005, 0.015}},
    RecordedErrors{"chat_24", {0.05, 0.05, 0.015, 0.005, 0.035, 0.03, 0.015, 0.025}}};

/// What was measured of one list of requests.
struct MeasuredRun {
  double energy_j = 0;
  double gap_us = 0;
  MeasuredRequests requests;
};

/// By name.
std::map<std::string, MeasuredRun, std::less<>> measured_runs() {
  Diagnostics findings;
  const cost::CsvTable runs = h200_table("serve.csv", findings), requests = h200_table("serve_requests.csv", findings);
  std::map<std::string, MeasuredRun, std::less<>> measured;
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    MeasuredRun& run = measured[std::string(runs.text(row, "run"))];
    run.energy_j = runs.number(row, "energy_j", findings);
    run.gap_us = runs.number(row, "gap_us", findings);
  }
  for (std::size_t row = 0; row < requests.rows(); ++row) measured.at(std::string(requests.text(row, "run"))).requests.add(requests, row, findings);
  invariant(!findings.has_errors(), "the committed tables are whole");
  return measured;
}

/// `step_time`: all steps last that much longer. A loop whose arrivals are that much closer to each other does the same in as much less time.
ScenarioRun simulate(const std::string& run, double step_time) {
  return run_scenario_file(scenario, {{"workload.trace.file", "../../../models/kernels/serve/requests/" + run + ".csv"},
                                      {"workload.trace.scale_time", fmt::format("{}", 1 / step_time)}});
}

std::vector<ValidationFigure> figures_of(const std::string& name, const MeasuredRun& measured, const ScenarioRun& run) {
  FigureList figures(bounds_of(recorded, name));
  figures.add_latencies(measured.requests.latencies, latencies_of(run));
  figures.add("throughput", measured.requests.requests_per_s(), requests_per_s(run), "requests/s");
  // The simulation begins with the first arrival, the meter with the clock.
  figures.add("energy", measured.energy_j * 1e-3, (run.summary.it->energy_j + h200_idle_w() * measured.requests.arrivals.front()) * 1e-3, "kJ");
  return std::move(figures).figures();
}

void add_steps(ServedRunCheck& check, const MeasuredRun& measured, const ScenarioRun& run) {
  Diagnostics findings;
  const cost::CsvTable classes = h200_table("serve_classes.csv", findings);
  invariant(!findings.has_errors(), "the committed tables are whole");
  StepErrors errors(run);
  for (std::size_t row = 0; row < classes.rows(); ++row)
    if (classes.text(row, "run") == check.run) errors.add(classes, row, measured.gap_us);
  check.decodes = errors.decodes();
  check.mixed = errors.mixed();
}

double ttft_ms(const std::string& run, double step_time) { return mean(latencies_of(simulate(run, step_time)).ttft) * step_time * 1e3; }

std::string arrivals_of(const ServedRunCheck& check) { return fmt::format("{:.1f}/s, {:.0f} %", check.requests_per_s, check.share_of_capacity * 100); }

}  // namespace

std::vector<ServedRunCheck> served_runs() {
  constexpr double high_load = 0.8, less = 0.98, more = 1.02;
  const auto measured = measured_runs();
  double capacity = 0;
  for (const auto& [name, run] : measured) capacity = std::max(capacity, run.requests.requests_per_s());
  std::vector<ServedRunCheck> checks;
  for (const auto& [name, run] : measured) {
    const ScenarioRun simulated = simulate(name, 1);
    ServedRunCheck check;
    check.run = name;
    check.requests_per_s = run.requests.arrivals_per_s();
    check.share_of_capacity = check.requests_per_s / capacity;
    check.figures = figures_of(name, run, simulated);
    add_steps(check, run, simulated);
    if (check.share_of_capacity > high_load) check.ttft_of_2_percent = ServedRunCheck::Span{ttft_ms(name, less), ttft_ms(name, more)};
    checks.push_back(std::move(check));
  }
  return checks;
}

std::string served_runs_page() {
  std::string text =
      "\n## A served H200 at six rates, predicted before it was measured\n\n"
      "`scenarios/library/validation/h200_8b_served.yaml` with six lists of requests, against `rackwright-profile --serve` (`serve.csv`, `serve_requests.csv`,\n"
      "`serve_classes.csv`). Set: the loop's graph sizes, token budget and sequences, and a host time of 24 us from `launch.csv` and `host_copy.csv`. Nothing was fitted to the\n"
      "runs: the simulated latencies were committed before the first of them. A rate is that of the arrivals, also as a share of what the device finished at the highest one.\n\n"
      "| arrivals | figure | measured | simulated | error |\n|---|---|---:|---:|---:|\n";
  const std::vector<ServedRunCheck> checks = served_runs();
  for (const ServedRunCheck& check : checks) text += figure_rows(arrivals_of(check), check.figures);
  text +=
      "\nAbove 80 % of capacity a queue decides the TTFT. What it is when every step lasts 2 % shorter or longer (the same run with arrivals 2 % further apart or closer, in\n"
      "that much longer or shorter seconds):\n\n"
      "| arrivals | TTFT mean measured | simulated | steps 2 % shorter | 2 % longer |\n|---|---:|---:|---:|---:|\n";
  for (const ServedRunCheck& check : checks)
    if (check.ttft_of_2_percent)
      text += fmt::format("| {} | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:.1f} ms |\n", arrivals_of(check), check.figures[0].measured,
                          check.figures[0].simulated, check.ttft_of_2_percent->shorter_ms, check.ttft_of_2_percent->longer_ms);
  text +=
      "\nSteps by the graph that ran them, the gap to the next one included, each graph's median simulated against measured:\n\n"
      "| arrivals | steps of decodes alone | median error | with prompts | median error |\n|---|---:|---:|---:|---:|\n";
  for (const ServedRunCheck& check : checks)
    text += fmt::format("| {} | {} | {:+.1f} % | {} | {:+.1f} % |\n", arrivals_of(check), check.decodes.steps, check.decodes.median_error * 100,
                        check.mixed.steps, check.mixed.median_error * 100);
  return text;
}

}  // namespace rackwright::test
