#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "scenarios/spec/hall_spec.h"

namespace rackwright::scenarios {

/// Why a placement cannot be read: one sentence, and what to do.
struct PlacementProblem {
  std::string message;
  std::string hint;
};

/// Reads "gpu" (all devices of the racks called gpu), "gpu[5]" or "gpu[0..31]" (both ends included).
std::variant<DeviceRange, PlacementProblem> parse_placement(std::string_view text, const HallSpec& hall);

}  // namespace rackwright::scenarios
