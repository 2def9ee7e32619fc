#include "scenarios/schema/options.h"

#include <google/protobuf/descriptor.h>

#include <string>

#include "models/base/invariant.h"

namespace rackwright::scenarios {
namespace {

const pb::FieldDescriptor* named_field(const pb::Descriptor& type, const std::string& name) {
  if (name.empty()) return nullptr;
  const pb::FieldDescriptor* field = type.FindFieldByName(name);
  invariant(field != nullptr, "a message option names a field that the message lacks: " + name);
  return field;
}

}  // namespace

const v1::Parameter& parameter_of(const pb::FieldDescriptor& field) {
  return field.options().GetExtension(v1::parameter);
}

const v1::Group& group_of(const pb::Descriptor& type) { return type.options().GetExtension(v1::group); }

const v1::Choice& choice_of(const pb::EnumValueDescriptor& value) {
  return value.options().GetExtension(v1::choice);
}

const pb::FieldDescriptor* shorthand_field(const pb::Descriptor& type) {
  return named_field(type, group_of(type).shorthand());
}

const pb::FieldDescriptor* key_field(const pb::Descriptor& type) { return named_field(type, group_of(type).key()); }

const pb::FieldDescriptor& map_value_field(const pb::FieldDescriptor& map) {
  invariant(map.is_map(), "not a map field");
  return *map.message_type()->map_value();
}

const pb::Descriptor* held_type(const pb::FieldDescriptor& field) {
  return field.is_map() ? map_value_field(field).message_type() : field.message_type();
}

bool holds_messages(const pb::FieldDescriptor& field) { return held_type(field) != nullptr; }

}  // namespace rackwright::scenarios
