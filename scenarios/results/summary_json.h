#pragma once

#include <string>

#include "scenarios/results/run_summary.h"

namespace rackwright::results {

/// summary.json: SI base units with the unit in the key; a part that the run did not have is absent.
/// Numbers are written with the fewest digits that read back to the same value. Ends with a newline.
std::string to_json(const RunSummary& summary);

/// The summary that `to_json` wrote; a key that is missing or of another type leaves its field as it is.
/// Throws DamagedStream when the text is not JSON.
RunSummary parse_summary(const std::string& json);

}  // namespace rackwright::results
