#include "tests/differential/served_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/invariant.h"
#include "models/cost/profile_reader.h"
#include "models/kernels/serve/serving_buckets.h"

namespace rackwright::test {
namespace {

using kernels::StepBucket;

constexpr const char* profile = RACKWRIGHT_SOURCE_DIR "/models/kernels/profiles/nvidia-h200";

/// Where half of the weight lies below; 0 of none.
double weighted_median(std::vector<std::pair<double, long>> values) {
  std::ranges::sort(values);
  long half = 0;
  for (const auto& [value, weight] : values) half += weight;
  half /= 2;
  for (const auto& [value, weight] : values)
    if ((half -= weight) < 0) return value;
  return 0;
}

}  // namespace

cost::CsvTable h200_table(const char* name, Diagnostics& findings) { return cost::CsvTable::read(std::filesystem::path(profile) / name, findings); }

double h200_idle_w() {
  Diagnostics findings;
  return *cost::read_profile(profile, findings).idle_w;
}

Latencies latencies_of(const ScenarioRun& run) {
  Latencies latencies;
  for (const metrics::RequestOutcome& request : run.requests) latencies.add(request.ttft().seconds(), request.e2e().seconds(), request.output_tokens);
  return latencies;
}

double requests_per_s(const ScenarioRun& run) {
  const SimTime first = std::ranges::min_element(run.requests, {}, &metrics::RequestOutcome::arrival)->arrival;
  const SimTime last = std::ranges::max_element(run.requests, {}, &metrics::RequestOutcome::last_token)->last_token;
  return static_cast<double>(run.requests.size()) / (last - first).seconds();
}

void MeasuredRequests::add(const cost::CsvTable& table, std::size_t row, Diagnostics& findings) {
  const auto number = [&](const char* column) { return table.number(row, column, findings); };
  arrivals.push_back(number("arrival_s"));
  finishes.push_back(number("finish_s"));
  latencies.add(number("first_token_s") - arrivals.back(), finishes.back() - arrivals.back(), static_cast<int>(number("output_tokens")));
}

double MeasuredRequests::requests_per_s() const { return static_cast<double>(arrivals.size()) / (std::ranges::max(finishes) - arrivals.front()); }

double MeasuredRequests::arrivals_per_s() const { return static_cast<double>(arrivals.size() - 1) / (arrivals.back() - arrivals.front()); }

const std::vector<double>& bounds_of(std::span<const RecordedErrors> recorded, std::string_view run) {
  const auto found = std::ranges::find(recorded, run, &RecordedErrors::run);
  invariant(found != recorded.end(), "each run has recorded errors");
  return found->bounds;
}

void FigureList::add(const std::string& title, double measured, double simulated, const char* unit) {
  invariant(figures_.size() < bounds_.size(), "each figure has a recorded error");
  figures_.push_back({title, measured, simulated, unit, bounds_[figures_.size()]});
}

void FigureList::add_times(const char* title, const std::vector<double>& measured_s, const std::vector<double>& simulated_s) {
  add(fmt::format("{} mean", title), mean(measured_s) * 1e3, mean(simulated_s) * 1e3, "ms");
  add(fmt::format("{} p99", title), p99(measured_s) * 1e3, p99(simulated_s) * 1e3, "ms");
}

void FigureList::add_latencies(const Latencies& measured, const Latencies& simulated) {
  add_times("TTFT", measured.ttft, simulated.ttft);
  add_times("TPOT", measured.tpot, simulated.tpot);
  add_times("E2E", measured.e2e, simulated.e2e);
}

std::string figure_rows(const std::string& arrivals, const std::vector<ValidationFigure>& figures) {
  double worst = 0;
  for (const ValidationFigure& figure : figures) worst = std::max(worst, std::abs(figure.error()));
  std::string rows;
  for (const ValidationFigure& figure : figures) {
    const char* mark = std::abs(figure.error()) == worst ? "**" : "";
    rows += fmt::format("| {} | {} | {:.2f} {} | {:.2f} {} | {}{:+.1f} %{} |\n", arrivals, figure.name, figure.measured, figure.unit, figure.simulated,
                        figure.unit, mark, figure.error() * 100, mark);
  }
  return rows;
}

StepErrors::StepErrors(const ScenarioRun& run) {
  std::map<std::pair<int, int>, WeightedValues> durations;
  std::map<std::uint32_t, double> begun_us;  // Of a step that goes on in the instance's next stretch, at another clock.
  for (const results::StepStretch& stretch : run.steps) {
    const StepBucket bucket = kernels::bucket_of(stretch.decode_sequences, stretch.prefill_tokens);
    double& begun = begun_us[stretch.instance];
    for (std::int64_t k = 0; k < stretch.steps; ++k) {
      durations[{bucket.decodes, bucket.prompt_tokens}].emplace_back((stretch.boundary(k + 1) - stretch.boundary(k)).seconds() * 1e6 + begun, 1);
      begun = 0;
    }
    begun += (stretch.end - stretch.boundary(stretch.steps)).seconds() * 1e6;
  }
  for (auto& [bucket, values] : durations) simulated_us_[bucket] = weighted_median(std::move(values));
}

void StepErrors::add(const cost::CsvTable& classes, std::size_t row, double gap_us) {
  Diagnostics findings;
  const auto number = [&](const char* column) { return classes.number(row, column, findings); };
  const int prompt_bucket = static_cast<int>(number("prompt_bucket"));
  const auto found = simulated_us_.find({static_cast<int>(number("decode_bucket")), prompt_bucket});
  if (found == simulated_us_.end()) return;
  const double measured_us = number("busy_us") + classes.number_or(row, "gap_us", gap_us, findings);
  (prompt_bucket > 0 ? mixed_ : decodes_).emplace_back(found->second / measured_us - 1, static_cast<long>(number("steps")));
  invariant(!findings.has_errors(), "the committed tables are whole");
}

ServedSteps StepErrors::of(const WeightedValues& errors) {
  ServedSteps steps;
  for (const auto& [error, count] : errors) steps.steps += count;
  steps.median_error = weighted_median(errors);
  return steps;
}

}  // namespace rackwright::test
