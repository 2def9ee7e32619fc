#include "scenarios/spec/input_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "models/base/invariant.h"

namespace rackwright::scenarios {

std::optional<std::filesystem::path> find_input(const std::string& name, const std::string& scenario_file) {
  const std::filesystem::path path(name);
  std::vector<std::filesystem::path> places;
  if (path.is_absolute()) {
    places.push_back(path);
  } else {
    places.push_back(std::filesystem::path(scenario_file).parent_path() / path);
    if (const char* data = std::getenv("RACKWRIGHT_DATA"); data && *data) places.push_back(std::filesystem::path(data) / path);
  }
  for (const std::filesystem::path& place : places) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return place;
  }
  return std::nullopt;
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw EnvironmentError(fmt::format("this is a folder, not a file: {}", path.string()));
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw EnvironmentError(fmt::format("the file cannot be read: {}", path.string()));
  return bytes;
}

}  // namespace rackwright::scenarios
