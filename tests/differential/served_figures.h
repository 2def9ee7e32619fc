#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/cost/csv_table.h"
#include "tests/differential/latencies.h"
#include "tests/differential/validation_cases.h"
#include "tests/support/scenario_run.h"

namespace rackwright::test {

/// Steps of one kind of a served run, by the graph that ran them.
struct ServedSteps {
  long steps = 0;           ///< Measured ones that the simulation has some of the same graph for.
  double median_error = 0;  ///< Over them, signed: of a graph's median time from one step's end to the next one's, simulated to measured.
};

/// A table of the committed H200 profile.
cost::CsvTable h200_table(const char* name, Diagnostics& findings);
/// What an H200 draws with a context and no work, by that profile.
double h200_idle_w();

Latencies latencies_of(const ScenarioRun& run);
/// From the first arrival to the last token.
double requests_per_s(const ScenarioRun& run);

/// The requests of a measured run, in seconds since its clock began.
struct MeasuredRequests {
  Latencies latencies;
  std::vector<double> arrivals, finishes;

  /// One more, from a row with `arrival_s`, `first_token_s`, `finish_s` and `output_tokens`.
  void add(const cost::CsvTable& table, std::size_t row, Diagnostics& findings);
  /// From the first arrival to the last token.
  double requests_per_s() const;
  /// Between the first arrival and the last.
  double arrivals_per_s() const;
};

/// Errors of one run when it was first compared, rounded up, in the order of its figures.
struct RecordedErrors {
  std::string_view run;
  std::vector<double> bounds;
};
/// Of that run, which is among them.
const std::vector<double>& bounds_of(std::span<const RecordedErrors> recorded, std::string_view run);

/// Figures of a run in turn, each with its recorded error.
class FigureList {
 public:
  explicit FigureList(std::span<const double> bounds) : bounds_(bounds) {}

  void add(const std::string& title, double measured, double simulated, const char* unit);
  /// Mean and p99 in milliseconds of both.
  void add_times(const char* title, const std::vector<double>& measured_s, const std::vector<double>& simulated_s);
  /// Those of TTFT, TPOT and end to end.
  void add_latencies(const Latencies& measured, const Latencies& simulated);
  std::vector<ValidationFigure> figures() && { return std::move(figures_); }

 private:
  std::span<const double> bounds_;
  std::vector<ValidationFigure> figures_;
};

/// Rows of a table `arrivals | figure | measured | simulated | error`, the worst error in bold.
std::string figure_rows(const std::string& arrivals, const std::vector<ValidationFigure>& figures);

/// Simulated steps of decodes alone and of those with prompts against rows of a classes table (serve_classes.csv), where `gap_us` stands for
/// a row without a gap.
class StepErrors {
 public:
  explicit StepErrors(const ScenarioRun& run);

  void add(const cost::CsvTable& classes, std::size_t row, double gap_us);
  ServedSteps decodes() const { return of(decodes_); }
  ServedSteps mixed() const { return of(mixed_); }

 private:
  using WeightedValues = std::vector<std::pair<double, long>>;
  static ServedSteps of(const WeightedValues& errors);

  std::map<std::pair<int, int>, double> simulated_us_;  ///< Median, by decodes and prompt tokens of the graph.
  WeightedValues decodes_, mixed_;
};

}  // namespace rackwright::test
