#pragma once

#include <string>

#include "scenarios/results/timeline.h"

namespace rackwright::results {

/// timeline.csv: `time_s`, where a bin begins, and a column for each series.
std::string to_csv(const Timeline& timeline);

}  // namespace rackwright::results
