#pragma once

#include <string>

#include "scenarios/results/run_summary.h"
#include "sim/report/text_table.h"

namespace rackwright::report {

/// What a run came to, on one screen of a terminal: requests, latencies, objectives, pools, power, and
/// where the costs came from.
std::string summary_table(const results::RunDescription& run, const results::RunSummary& summary, TextStyle style);

}  // namespace rackwright::report
