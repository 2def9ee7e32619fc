#pragma once

#include "scenarios/check/checked_scenario.h"
#include "traces/records/trace_report.h"

namespace rackwright::run {

/// Warns of what a scenario asks for and its log does not have: block hashes, tools, hidden reasoning. Known only when the
/// log has been read.
void warn_of_missing_in_log(scenarios::CheckedScenario& checked, const traces::TraceReport& log);

}  // namespace rackwright::run
