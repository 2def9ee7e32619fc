#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"
#include "scenarios/schema/scalar_value.h"

namespace rackwright::scenarios {

/// Scalars of a message by their field, whatever its type. The field must be singular (get, set),
/// or a list (get with an index, append).
ScalarValue get_scalar(const pb::Message& message, const pb::FieldDescriptor& field);
ScalarValue get_scalar(const pb::Message& message, const pb::FieldDescriptor& field, int index);
void set_scalar(pb::Message& message, const pb::FieldDescriptor& field, const ScalarValue& value);
void set_item(pb::Message& message, const pb::FieldDescriptor& list, int index, const ScalarValue& value);
void append_scalar(pb::Message& message, const pb::FieldDescriptor& field, const ScalarValue& value);

/// Takes one item out of a list, or one entry out of a map; the others keep their order.
void remove_item(pb::Message& message, const pb::FieldDescriptor& list, int index);
void remove_map_entry(pb::Message& message, const pb::FieldDescriptor& map, std::string_view key);

/// Whether the file gave the field: present, or a list or map with entries.
bool is_given(const pb::Message& message, const pb::FieldDescriptor& field);

/// The entries of a map field, as messages of its entry type, by ascending key.
std::vector<const pb::Message*> map_entries(const pb::Message& message, const pb::FieldDescriptor& map);
std::string map_key(const pb::Message& entry);
/// The entry with this key, or null.
pb::Message* find_map_entry(pb::Message& message, const pb::FieldDescriptor& map, std::string_view key);
/// A new entry with this key, which must not be in the map yet, and an empty value.
pb::Message& add_map_entry(pb::Message& message, const pb::FieldDescriptor& map, std::string_view key);

}  // namespace rackwright::scenarios
