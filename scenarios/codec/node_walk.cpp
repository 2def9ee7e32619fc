#include "scenarios/codec/node_walk.h"

#include <google/protobuf/descriptor.h>

#include "scenarios/schema/options.h"

namespace rackwright::scenarios {

std::optional<std::size_t> find_item(const Node& list, const pb::FieldDescriptor& field, const PathStep& step) {
  if (step.index) return *step.index < list.items.size() ? step.index : std::nullopt;
  const pb::FieldDescriptor* key = field.message_type() ? key_field(*field.message_type()) : nullptr;
  if (!key) return std::nullopt;
  const std::string name(key->name());
  const bool bare = shorthand_field(*field.message_type()) == key;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& item = list.items[i];
    const NodeEntry* entry = item.find(name);
    const Node* named = entry ? &entry->value : bare && item.is_scalar() ? &item : nullptr;
    if (named && named->is_scalar() && named->value == step.key) return i;
  }
  return std::nullopt;
}

bool is_shorthand(const Node& node, const pb::Descriptor& type) {
  const pb::FieldDescriptor* shorthand = shorthand_field(type);
  if (!shorthand || node.is_map() || node.is_missing() || node.is_null()) return false;
  return node.is_scalar() || shorthand->is_repeated();
}

}  // namespace rackwright::scenarios
