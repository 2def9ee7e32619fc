#pragma once

#include "scenarios/codec/node.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// A message as a tree ready to be written: what is given and no defaults, by field number, quantities with
/// their units, a group with only its shorthand as a bare value, short groups in flow style.
Node message_tree(const pb::Message& message);

/// The tree of one given field's value.
Node field_tree(const pb::Message& message, const pb::FieldDescriptor& field);

/// A scalar of this field as a node; a text that looks like a number or a truth value gets quotes.
Node scalar_tree(const pb::FieldDescriptor& field, std::string written);

}  // namespace rackwright::scenarios
