#pragma once

#include "scenarios/schema/options.pb.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// What options.proto says about a field, a message and an enum value; empty where it says nothing.
const v1::Parameter& parameter_of(const pb::FieldDescriptor& field);
const v1::Group& group_of(const pb::Descriptor& type);
const v1::Choice& choice_of(const pb::EnumValueDescriptor& value);

/// The field that a bare value of this message fills, or null.
const pb::FieldDescriptor* shorthand_field(const pb::Descriptor& type);
/// The field by whose value an item of a list of these is addressed, or null.
const pb::FieldDescriptor* key_field(const pb::Descriptor& type);

/// The field of each value of a map field.
const pb::FieldDescriptor& map_value_field(const pb::FieldDescriptor& map);

/// Whether the field holds a message or a map or list of them.
bool holds_messages(const pb::FieldDescriptor& field);
/// The message type that the field, its items or its map values hold; null where they are scalars.
const pb::Descriptor* held_type(const pb::FieldDescriptor& field);

}  // namespace rackwright::scenarios
