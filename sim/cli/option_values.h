#pragma once

#include <optional>
#include <string>

#include "models/base/diagnostic.h"
#include "models/base/time.h"

namespace rackwright::cli {

/// A length of time with its unit, "10 min". Nothing for an empty text; nothing and an error that names
/// the option for a text that is no such thing, or for a time below zero.
std::optional<SimTime> time_option(const std::string& option, const std::string& text, Diagnostics& diagnostics);

}  // namespace rackwright::cli
