#pragma once

#include <string>

#include "sim/report/text_table.h"

namespace rackwright::scenarios {
struct CheckedScenario;
}

namespace rackwright::cli {

/// The network of a checked scenario: what it is made of, and what pools that talk to each other can expect of it. ""
/// where the scenario needs none.
std::string fabric_text(const scenarios::CheckedScenario& scenario, report::TextStyle style);

}  // namespace rackwright::cli
