#include "sim/cli/option_values.h"

#include "models/base/quantity.h"

namespace rackwright::cli {

std::optional<SimTime> time_option(const std::string& option, const std::string& text, Diagnostics& diagnostics) {
  if (text.empty()) return std::nullopt;
  QuantityError error;
  const std::optional<double> seconds = parse_quantity(text, "s", error);
  if (!seconds) {
    diagnostics.error({}, option, error.message, error.hint);
    return std::nullopt;
  }
  if (*seconds < 0) {
    diagnostics.error({}, option, "a time is not below zero here");
    return std::nullopt;
  }
  return sim_time(*seconds);
}

}  // namespace rackwright::cli
