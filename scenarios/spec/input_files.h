#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rackwright::scenarios {

/// Where a file that a scenario names lies: as it stands if absolute; else beside the scenario, then under the folder
/// that the environment variable RACKWRIGHT_DATA names. Nothing when it is in neither.
std::optional<std::filesystem::path> find_input(const std::string& name, const std::string& scenario_file);

/// A whole file. Throws EnvironmentError when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace rackwright::scenarios
