#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_description.h"
#include "sim/metrics/run_layout.h"
#include "traces/records/request.h"
#include "traces/records/row_counts.h"
#include "traces/records/trace_report.h"

namespace rackwright::run {

/// The stream of requests that a scenario asks for.
struct Workload {
  std::unique_ptr<traces::RequestSource> requests;  ///< Null, with errors in the diagnostics, when there is none.
  std::optional<results::InputFile> input;          ///< The trace, with its hash.
  std::vector<std::string> report;                  ///< What the reader kept, repaired and dropped, a line each.
  std::unique_ptr<traces::RowCounts> changed;       ///< What the scenario's own changes did to requests, as far as read.
  std::optional<traces::TraceReport> log;           ///< Of a trace.
  bool has_chains = false;                          ///< Requests may follow each other.
  metrics::MeasureWindow window;                    ///< What warm-up and cool-down leave.
};

/// A cool-down counts back from the last arrival, for which the stream is read once more beforehand; so it is, up to the
/// first request that counts, for a warm-up. A window that leaves nothing is an error, at its place in the scenario.
/// Throws EnvironmentError when the trace cannot be read.
Workload open_workload(scenarios::CheckedScenario& checked);

/// What the scenario's own changes (clipping, slices, renaming) did to the requests read so far, a line each.
std::vector<std::string> changes(const Workload& workload);

}  // namespace rackwright::run
