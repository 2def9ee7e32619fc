#pragma once

#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::gui {

/// The message at a path: a given group, list item or map entry; the root for the empty path.
/// Null where nothing is given, or where there is a scalar. Items are found by index or by key.
const scenarios::pb::Message* messageAt(const scenarios::pb::Message& root, const scenarios::Path& path);

}  // namespace rackwright::gui
