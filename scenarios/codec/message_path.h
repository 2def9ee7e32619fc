#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// Sets the value at a path as `--set` does: a scalar as a user writes it ("400 GB/s"), a group, list or
/// map in flow style ("{policy: fcfs}", "[a, b]"). Makes absent groups and map entries on the way; items of
/// lists must exist. `where` names the origin in findings. False, with errors, when it does not fit.
bool set_path(pb::Message& message, std::string_view path, std::string_view text, const Location& where,
              Diagnostics& diagnostics);

/// The given value at a path, as text that set_path takes; nothing when it is not given or no such path.
std::optional<std::string> get_path(const pb::Message& message, std::string_view path);

/// Removes what is given at a path: a field, a list item, a map entry. False, with errors, when nothing is.
bool remove_path(pb::Message& message, std::string_view path, const Location& where, Diagnostics& diagnostics);

}  // namespace rackwright::scenarios
