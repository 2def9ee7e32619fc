#pragma once

#include <string>

#include "traces/generators/quantile_table.h"

namespace rackwright::v1 {
class Durations;
class Lengths;
}

namespace rackwright::scenarios {

class Findings;

/// Token counts as a table, or `otherwise` where nothing is given. Findings point at `path`.
traces::QuantileTable length_table(const v1::Lengths& written, const std::string& path, Findings& findings, traces::QuantileTable otherwise = {});

/// The same for durations, in seconds.
traces::QuantileTable duration_table(const v1::Durations& written, const std::string& path, Findings& findings);

}  // namespace rackwright::scenarios
