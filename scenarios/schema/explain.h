#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenarios/schema/description.h"

namespace rackwright::scenarios {

/// A place in the schema.
struct SchemaPlace {
  const GroupInfo* group = nullptr;          ///< The group at the end of the path; null for a single value.
  const ParameterInfo* parameter = nullptr;  ///< The last parameter; null at the root.
};

/// The place that a path names, as `explain_text` reads it. Nothing, and `problem` with a hint, when there is none.
std::optional<SchemaPlace> find_place(const SchemaDescription& schema, std::string_view path, std::string& problem);

/// What `explain PATH` prints: the parameter, or the group with its parameters, with types, units, ranges,
/// defaults and their sources. Indices and names of items may be left out: "deployment.scheduler.policy"
/// and "deployment[0].scheduler.policy" are the same. The empty path is the whole file.
/// Nothing, and `problem` with a hint, when the schema has no such place.
std::optional<std::string> explain_text(const SchemaDescription& schema, std::string_view path, std::string& problem);

}  // namespace rackwright::scenarios
