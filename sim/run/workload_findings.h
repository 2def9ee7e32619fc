#pragma once

#include "scenarios/check/checked_scenario.h"
#include "traces/records/trace_report.h"

namespace rackwright::scenarios {
class Findings;
}

namespace rackwright::run {

/// Warns of what a scenario asks for and its log does not have: block hashes, tools, hidden reasoning. Known only when the
/// log has been read.
void warn_of_missing_in_log(scenarios::CheckedScenario& checked, const traces::TraceReport& log);

/// Warns of arrivals that a generator is asked for and that would come after the end of simulated time.
void warn_of_the_end_of_time(const scenarios::CheckedScenario& checked, scenarios::Findings& findings);

}  // namespace rackwright::run
