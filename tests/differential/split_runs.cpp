#include "tests/differential/split_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "models/base/invariant.h"

namespace rackwright::test {
namespace {

constexpr const char* scenario = RACKWRIGHT_SOURCE_DIR "/scenarios/library/validation/h200_8b_served_apart.yaml";

/// TTFT mean and p99, TPOT and end to end alike, requests/s, energy of prompts and tokens.
const std::array recorded{RecordedErrors{"chat_04", {0.02, 0.03, 0.05, 0.055, 0.045, 0.045, 0.005, 0.005, 0.165}},
                              RecordedErrors{"chat_08", {0.02, 0.055, 0.055, 0.05, 0.05, 0.06, 0.005, 0.005, 0.165}},
                              RecordedErrors{"chat_14", {0.05, 0.06, 0.055, 0.055, 0.05, 0.06, 0.005, 0.015, 0.145}},
                              RecordedErrors{"chat_20", {0.07, 0.11, 0.055, 0.065, 0.05, 0.05, 0.005, 0.02, 0.125}}};

struct MeasuredSide {
  double duration_s = 0, energy_j = 0, busy_s = 0, gap_us = 0, exposed_p99_us = 0;
};

struct MeasuredSplit {
  MeasuredSide prompts, tokens;
  MeasuredRequests requests;
};

/// By name.
std::map<std::string, MeasuredSplit, std::less<>> measured_splits() {
  Diagnostics findings;
  const cost::CsvTable sides = h200_table("split.csv", findings), requests = h200_table("split_requests.csv", findings);
  std::map<std::string, MeasuredSplit, std::less<>> measured;
  for (std::size_t row = 0; row < sides.rows(); ++row) {
    const auto number = [&](const char* column) { return sides.number(row, column, findings); };
    MeasuredSplit& split = measured[std::string(sides.text(row, "run"))];
    (sides.text(row, "side") == "prompts" ? split.prompts : split.tokens) = {
        number("duration_s"), number("energy_j"), number("busy_s"), number("gap_us"), sides.number_or(row, "exposed_p99_us", 0, findings)};
  }
  for (std::size_t row = 0; row < requests.rows(); ++row) measured.at(std::string(requests.text(row, "run"))).requests.add(requests, row, findings);
  invariant(!findings.has_errors(), "the committed tables are whole");
  return measured;
}

double pool_j(const ScenarioRun& run, const char* name) { return *std::ranges::find(run.summary.pools, name, &results::PoolSummary::name)->energy_j; }

std::vector<ValidationFigure> figures_of(const std::string& name, const MeasuredSplit& measured, const ScenarioRun& run) {
  FigureList figures(bounds_of(recorded, name));
  figures.add_latencies(measured.requests.latencies, latencies_of(run));
  figures.add("throughput", measured.requests.requests_per_s(), requests_per_s(run), "requests/s");
  // Both boards from the clock's beginning to the last token: the simulation begins with the first arrival, the meter of the prompts ends with them.
  const double idle_w = h200_idle_w(), before_j = idle_w * measured.requests.arrivals.front();
  const double after_j = idle_w * (measured.tokens.duration_s - measured.prompts.duration_s);
  figures.add("energy of the prompts", (measured.prompts.energy_j + after_j) * 1e-3, (pool_j(run, "prefill") + before_j) * 1e-3, "kJ");
  figures.add("energy of the tokens", measured.tokens.energy_j * 1e-3, (pool_j(run, "decode") + before_j) * 1e-3, "kJ");
  return std::move(figures).figures();
}

void add_steps(SplitRunCheck& check, const MeasuredSplit& measured, const ScenarioRun& run) {
  Diagnostics findings;
  const cost::CsvTable classes = h200_table("split_classes.csv", findings);
  invariant(!findings.has_errors(), "the committed tables are whole");
  StepErrors errors(run);
  for (std::size_t row = 0; row < classes.rows(); ++row)
    if (classes.text(row, "run") == check.run)
      errors.add(classes, row, classes.text(row, "side") == "prompts" ? measured.prompts.gap_us : measured.tokens.gap_us);
  check.prompts = errors.mixed();
  check.tokens = errors.decodes();
}

std::string arrivals_of(const SplitRunCheck& check) { return fmt::format("{:.1f}/s, {:.0f} %", check.requests_per_s, check.prompts_busy * 100); }

}  // namespace

std::vector<SplitRunCheck> split_runs() {
  std::vector<SplitRunCheck> checks;
  for (const auto& [name, split] : measured_splits()) {
    const ScenarioRun run = run_scenario_file(scenario, {{"workload.trace.file", "../../../models/kernels/serve/requests/" + name + ".csv"}});
    SplitRunCheck check;
    check.run = name;
    check.requests_per_s = split.requests.arrivals_per_s();
    check.prompts_busy = split.prompts.busy_s / split.prompts.duration_s;
    check.figures = figures_of(name, split, run);
    add_steps(check, split, run);
    check.exposed_p99_us = split.prompts.exposed_p99_us;
    check.simulated_exposed_us = run.summary.network->kv->exposed_s.mean * 1e6;
    checks.push_back(std::move(check));
  }
  return checks;
}

std::string split_runs_page() {
  std::string text =
      "\n## Prompts and tokens apart on real H200s at four rates, predicted before it was measured\n\n"
      "`scenarios/library/validation/h200_8b_served_apart.yaml` with four lists of requests, against `rackwright-profile --serve … --split halves` (`split.csv`,\n"
      "`split_requests.csv`, `split_classes.csv`): one H200 did all prompts, a copy engine taking each layer's keys and values to the host meanwhile, and then all tokens, each request from\n"
      "when its prompt had landed. Set as for the loop above; nothing was fitted, and the simulated figures were committed before the run. Percent: the share of time in which prompts were computed.\n\n"
      "| arrivals | figure | measured | simulated | error |\n|---|---|---:|---:|---:|\n";
  const std::vector<SplitRunCheck> checks = split_runs();
  for (const SplitRunCheck& check : checks) text += figure_rows(arrivals_of(check), check.figures);
  text +=
      "\nSteps by the graph that ran them, the gap to the next one included, each graph's median simulated against measured; and how long after a prompt's last kernel its keys and\n"
      "values had landed (the last layer's leave before its attention is computed, so that nothing is left):\n\n"
      "| arrivals | steps of prompts | median error | of tokens | median error | KV exposed, p99 measured | mean simulated |\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const SplitRunCheck& check : checks)
    text += fmt::format("| {} | {} | {:+.1f} % | {} | {:+.1f} % | {:.0f} us | {:.0f} us |\n", arrivals_of(check), check.prompts.steps, check.prompts.median_error * 100,
                        check.tokens.steps, check.tokens.median_error * 100, check.exposed_p99_us, check.simulated_exposed_us);
  return text;
}

}  // namespace rackwright::test
