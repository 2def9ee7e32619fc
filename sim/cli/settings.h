#pragma once

#include <string>
#include <vector>

#include "models/base/diagnostic.h"
#include "scenarios/check/checked_scenario.h"

namespace rackwright::cli {

/// Reads `--set PATH=VALUE` options.
std::vector<scenarios::Setting> parse_settings(const std::vector<std::string>& options, Diagnostics& diagnostics);

}  // namespace rackwright::cli
