#pragma once

#include <string>

#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::gui {

/// The message at a path: a given group, list item or map entry; the root for the empty path.
/// Null where nothing is given, or where there is a scalar. Items are found by index or by key.
const scenarios::pb::Message* messageAt(const scenarios::pb::Message& root, const scenarios::Path& path);

/// The name by which an item of a list is addressed; empty where its kind has none, or it is not given.
std::string nameOfItem(const scenarios::pb::Message& item);

/// Indices replaced by the names of the items, where those have one.
scenarios::Path namedPath(const scenarios::pb::Message& root, scenarios::Path path);
/// Names of list items replaced by their indices, as far as there are such items.
scenarios::Path indexedPath(const scenarios::pb::Message& root, scenarios::Path path);

}  // namespace rackwright::gui
