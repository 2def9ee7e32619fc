#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/check/checked_scenario.h"
#include "sim/report/text_table.h"

namespace rackwright::cli {

/// How models lie on devices that keep weights on chip; "" where none does.
std::string on_chip_text(const scenarios::CheckedScenario& scenario, report::TextStyle style);

/// What every pool of a feasible scenario takes, and what is left for its KV cache.
nlohmann::ordered_json pools_json(const scenarios::CheckedScenario& scenario);

}  // namespace rackwright::cli
