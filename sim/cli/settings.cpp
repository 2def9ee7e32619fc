#include "sim/cli/settings.h"

namespace rackwright::cli {

std::vector<scenarios::Setting> parse_settings(const std::vector<std::string>& options, Diagnostics& diagnostics) {
  std::vector<scenarios::Setting> settings;
  for (const std::string& option : options) {
    const auto equals = option.find('=');
    if (equals == std::string::npos || equals == 0) {
      diagnostics.error({"--set " + option, 0, 0}, "", "a setting is written PATH=VALUE", "such as --set workload.rate='12 /s'");
      continue;
    }
    settings.push_back({option.substr(0, equals), option.substr(equals + 1)});
  }
  return settings;
}

}  // namespace rackwright::cli
