#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/codec/node.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"
#include "scenarios/schema/scalar_value.h"

namespace rackwright::scenarios {

/// What a path means by the schema alone: a whole field, or one item or entry of it.
struct PathTarget {
  const pb::FieldDescriptor* field = nullptr;
  bool inside = false;  ///< One item of the list or one value of the map, not all of it.

  /// Whether one scalar value stands there.
  bool is_scalar() const;
};

/// Fills `problem` when the schema has no such place below `type`, or the path is empty.
std::optional<PathTarget> resolve_path(const pb::Descriptor& type, const Path& path, ValueProblem& problem);

/// "no such parameter" with the nearest name.
ValueProblem unknown_field(const pb::Descriptor& type, const std::string& name);

/// The tree of a value written for this target, checked by the schema; nothing, with errors, when it does
/// not fit. Scalars keep the text as written.
std::optional<Node> parse_value(const PathTarget& target, const Path& path, std::string_view text, const Location& where,
                                Diagnostics& diagnostics);

/// parse_path with its finding.
std::optional<Path> parse_path(std::string_view text, const Location& where, Diagnostics& diagnostics);

}  // namespace rackwright::scenarios
