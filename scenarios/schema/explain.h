#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenarios/schema/description.h"

namespace rackwright::scenarios {

/// What `explain PATH` prints: the parameter, or the group with its parameters, with types, units, ranges,
/// defaults and their sources. Indices and names of items may be left out: "deployment.scheduler.policy"
/// and "deployment[0].scheduler.policy" are the same. The empty path is the whole file.
/// Nothing, and `problem` with a hint, when the schema has no such place.
std::optional<std::string> explain_text(const SchemaDescription& schema, std::string_view path, std::string& problem);

}  // namespace rackwright::scenarios
