#include "tests/differential/served_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "models/base/invariant.h"
#include "models/cost/csv_table.h"
#include "models/cost/profile_reader.h"
#include "models/kernels/serve/serving_buckets.h"
#include "tests/differential/latencies.h"
#include "tests/support/scenario_run.h"

namespace rackwright::test {
namespace {

using kernels::StepBucket;

constexpr const char* scenario = RACKWRIGHT_SOURCE_DIR "/scenarios/library/validation/h200_8b_served.yaml";

std::filesystem::path table(const char* name) {
  return std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200" / name;
}

/// Errors when the run was first compared, rounded up: TTFT mean and p99, TPOT and end to end alike, requests/s, energy.
struct RecordedErrors {
  std::string_view run;
  std::array<double, 8> bounds;
};
constexpr std::array recorded{
    RecordedErrors{"chat_04", {0.05, 0.035, 0.04, 0.07, 0.04, 0.04, 0.005, 0.005}},
    RecordedErrors{"chat_08", {0.045, 0.06, 0.05, 0.035, 0.05, 0.07, 0.005, 0.005}},
    RecordedErrors{"chat_12", {0.05, 0.01, 0.055, 0.025, 0.06, 0.05, 0.005, 0.015}},
    RecordedErrors{"chat_16", {0.04, 0.02, 0.06, 0.05, 0.06, 0.045, 0.005, 0.015}},
    RecordedErrors{"chat_20", {0.21, 0.185, 0.04, 0.045, 0.055, 0.05, 0.005, 0.015}},
    RecordedErrors{"chat_24", {0.05, 0.05, 0.015, 0.005, 0.035, 0.03, 0.015, 0.025}}};

const std::array<double, 8>& bounds_of(std::string_view run) {
  const auto found = std::ranges::find(recorded, run, &RecordedErrors::run);
  invariant(found != recorded.end(), "each served run has recorded errors");
  return found->bounds;
}

using WeightedValues = std::vector<std::pair<double, long>>;

/// Where half of the weight lies below; 0 of none.
double weighted_median(WeightedValues values) {
  std::ranges::sort(values);
  long half = 0;
  for (const auto& [value, weight] : values) half += weight;
  half /= 2;
  for (const auto& [value, weight] : values)
    if ((half -= weight) < 0) return value;
  return 0;
}

/// What was measured of one list of requests.
struct MeasuredRun {
  double energy_j = 0;
  double gap_us = 0;
  Latencies latencies;
  std::vector<double> arrivals, finishes;  ///< Since the loop's clock began, in seconds.

  double first_arrival_s() const { return arrivals.front(); }
  double requests_per_s() const { return static_cast<double>(arrivals.size()) / (std::ranges::max(finishes) - first_arrival_s()); }
  double arrivals_per_s() const { return static_cast<double>(arrivals.size() - 1) / (arrivals.back() - first_arrival_s()); }
};

/// By name.
std::map<std::string, MeasuredRun, std::less<>> measured_runs() {
  Diagnostics findings;
  const cost::CsvTable runs = cost::CsvTable::read(table("serve.csv"), findings), requests = cost::CsvTable::read(table("serve_requests.csv"), findings);
  std::map<std::string, MeasuredRun, std::less<>> measured;
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    MeasuredRun& run = measured[std::string(runs.text(row, "run"))];
    run.energy_j = runs.number(row, "energy_j", findings);
    run.gap_us = runs.number(row, "gap_us", findings);
  }
  for (std::size_t row = 0; row < requests.rows(); ++row) {
    const auto number = [&](const char* column) { return requests.number(row, column, findings); };
    MeasuredRun& run = measured.at(std::string(requests.text(row, "run")));
    run.arrivals.push_back(number("arrival_s"));
    run.finishes.push_back(number("finish_s"));
    run.latencies.add(number("first_token_s") - run.arrivals.back(), run.finishes.back() - run.arrivals.back(), static_cast<int>(number("output_tokens")));
  }
  invariant(!findings.has_errors(), "the committed tables are whole");
  return measured;
}

/// `step_time`: all steps last that much longer. A loop whose arrivals are that much closer to each other does the same in as much less time.
ScenarioRun simulate(const std::string& run, double step_time) {
  return run_scenario_file(scenario, {{"workload.trace.file", "../../../models/kernels/serve/requests/" + run + ".csv"},
                                      {"workload.trace.scale_time", fmt::format("{}", 1 / step_time)}});
}

Latencies latencies_of(const ScenarioRun& run) {
  Latencies latencies;
  for (const metrics::RequestOutcome& request : run.requests) latencies.add(request.ttft().seconds(), request.e2e().seconds(), request.output_tokens);
  return latencies;
}

double simulated_requests_per_s(const ScenarioRun& run) {
  const SimTime first = std::ranges::min_element(run.requests, {}, &metrics::RequestOutcome::arrival)->arrival;
  const SimTime last = std::ranges::max_element(run.requests, {}, &metrics::RequestOutcome::last_token)->last_token;
  return static_cast<double>(run.requests.size()) / (last - first).seconds();
}

/// What the board draws before the first arrival, where the simulation begins.
double idle_j(const MeasuredRun& run) {
  Diagnostics findings;
  return *cost::read_profile(table(""), findings).idle_w * run.first_arrival_s();
}

std::vector<ValidationFigure> figures_of(const std::string& name, const MeasuredRun& measured, const ScenarioRun& run) {
  const Latencies simulated = latencies_of(run);
  const auto& bounds = bounds_of(name);
  std::vector<ValidationFigure> figures;
  const auto add = [&](const char* title, double was, double is, const char* unit) { figures.push_back({title, was, is, unit, bounds.at(figures.size())}); };
  const auto add_times = [&](const char* title, const std::vector<double>& was_s, const std::vector<double>& is_s) {
    add(fmt::format("{} mean", title).c_str(), mean(was_s) * 1e3, mean(is_s) * 1e3, "ms");
    add(fmt::format("{} p99", title).c_str(), p99(was_s) * 1e3, p99(is_s) * 1e3, "ms");
  };
  add_times("TTFT", measured.latencies.ttft, simulated.ttft);
  add_times("TPOT", measured.latencies.tpot, simulated.tpot);
  add_times("E2E", measured.latencies.e2e, simulated.e2e);
  add("throughput", measured.requests_per_s(), simulated_requests_per_s(run), "requests/s");
  add("energy", measured.energy_j * 1e-3, (run.summary.it->energy_j + idle_j(measured)) * 1e-3, "kJ");
  return figures;
}

/// Median microseconds of simulated steps, by decodes and prompt tokens of their graph.
std::map<std::pair<int, int>, double> simulated_steps(const ScenarioRun& run) {
  std::map<std::pair<int, int>, WeightedValues> durations;
  for (const results::StepStretch& stretch : run.steps) {
    const StepBucket bucket = kernels::bucket_of(stretch.decode_sequences, stretch.prefill_tokens);
    for (std::int64_t k = 0; k < stretch.steps; ++k)
      durations[{bucket.decodes, bucket.prompt_tokens}].emplace_back((stretch.boundary(k + 1) - stretch.boundary(k)).seconds() * 1e6, 1);
  }
  std::map<std::pair<int, int>, double> medians;
  for (auto& [bucket, values] : durations) medians[bucket] = weighted_median(std::move(values));
  return medians;
}

void add_steps(ServedRunCheck& check, const MeasuredRun& measured, const ScenarioRun& run) {
  Diagnostics findings;
  const cost::CsvTable classes = cost::CsvTable::read(table("serve_classes.csv"), findings);
  const auto simulated = simulated_steps(run);
  WeightedValues decodes, mixed;
  for (std::size_t row = 0; row < classes.rows(); ++row) {
    if (classes.text(row, "run") != check.run) continue;
    const auto number = [&](const char* column) { return classes.number(row, column, findings); };
    const int prompt_bucket = static_cast<int>(number("prompt_bucket"));
    const auto found = simulated.find({static_cast<int>(number("decode_bucket")), prompt_bucket});
    if (found == simulated.end()) continue;
    const double measured_us = number("busy_us") + classes.number_or(row, "gap_us", measured.gap_us, findings);
    const auto steps = static_cast<long>(number("steps"));
    (prompt_bucket > 0 ? mixed : decodes).emplace_back(found->second / measured_us - 1, steps);
    (prompt_bucket > 0 ? check.mixed : check.decodes).steps += steps;
  }
  invariant(!findings.has_errors(), "the committed tables are whole");
  check.decodes.median_error = weighted_median(std::move(decodes));
  check.mixed.median_error = weighted_median(std::move(mixed));
}

double ttft_ms(const std::string& run, double step_time) { return mean(latencies_of(simulate(run, step_time)).ttft) * step_time * 1e3; }

std::string figure_rows(const ServedRunCheck& check) {
  double worst = 0;
  for (const ValidationFigure& figure : check.figures) worst = std::max(worst, std::abs(figure.error()));
  std::string rows;
  for (const ValidationFigure& figure : check.figures) {
    const char* mark = std::abs(figure.error()) == worst ? "**" : "";
    rows += fmt::format("| {:.1f}/s, {:.0f} % | {} | {:.2f} {} | {:.2f} {} | {}{:+.1f} %{} |\n", check.requests_per_s, check.share_of_capacity * 100, figure.name,
                        figure.measured, figure.unit, figure.simulated, figure.unit, mark, figure.error() * 100, mark);
  }
  return rows;
}

}  // namespace

std::vector<ServedRunCheck> served_runs() {
  constexpr double high_load = 0.8, less = 0.98, more = 1.02;
  const auto measured = measured_runs();
  double capacity = 0;
  for (const auto& [name, run] : measured) capacity = std::max(capacity, run.requests_per_s());
  std::vector<ServedRunCheck> checks;
  for (const auto& [name, run] : measured) {
    const ScenarioRun simulated = simulate(name, 1);
    ServedRunCheck check;
    check.run = name;
    check.requests_per_s = run.arrivals_per_s();
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
  for (const ServedRunCheck& check : checks) text += figure_rows(check);
  text +=
      "\nAbove 80 % of capacity a queue decides the TTFT. What it is when every step lasts 2 % shorter or longer (the same run with arrivals 2 % further apart or closer, in\n"
      "that much longer or shorter seconds):\n\n"
      "| arrivals | TTFT mean measured | simulated | steps 2 % shorter | 2 % longer |\n|---|---:|---:|---:|---:|\n";
  for (const ServedRunCheck& check : checks)
    if (check.ttft_of_2_percent)
      text += fmt::format("| {:.1f}/s, {:.0f} % | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:.1f} ms |\n", check.requests_per_s, check.share_of_capacity * 100,
                          check.figures[0].measured, check.figures[0].simulated, check.ttft_of_2_percent->shorter_ms, check.ttft_of_2_percent->longer_ms);
  text +=
      "\nSteps by the graph that ran them, the gap to the next one included, each graph's median simulated against measured:\n\n"
      "| arrivals | steps of decodes alone | median error | with prompts | median error |\n|---|---:|---:|---:|---:|\n";
  for (const ServedRunCheck& check : checks)
    text += fmt::format("| {:.1f}/s, {:.0f} % | {} | {:+.1f} % | {} | {:+.1f} % |\n", check.requests_per_s, check.share_of_capacity * 100, check.decodes.steps,
                        check.decodes.median_error * 100, check.mixed.steps, check.mixed.median_error * 100);
  return text;
}

}  // namespace rackwright::test
