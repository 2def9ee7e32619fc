#pragma once

#include <string>

#include "scenarios/results/run_folder.h"

namespace rackwright::report {

/// What a report is made from: a run that just ended, or one read back from its folder.
struct ReportInput {
  const results::RunDescription& run;
  const results::RunResults& results;
  std::string partial_reason;  ///< Empty for a whole run.
};

/// The report of one run: one HTML page that needs nothing else, neither network nor scripts.
/// Readable on screen (light or dark, wide or narrow) and on paper.
std::string html_report(const ReportInput& input);

}  // namespace rackwright::report
