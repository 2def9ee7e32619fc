#pragma once

#include <optional>

#include "scenarios/codec/node.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// The item that a step means in the list node of a repeated field: by index, or by the value of the key
/// field of its items. Nothing when there is none.
std::optional<std::size_t> find_item(const Node& list, const pb::FieldDescriptor& field, const PathStep& step);

/// Whether this node stands for its message by the shorthand field, as in `device: h200-sxm`.
bool is_shorthand(const Node& node, const pb::Descriptor& type);

}  // namespace rackwright::scenarios
