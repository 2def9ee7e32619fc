#include "scenarios/codec/merge.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "models/base/invariant.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

void merge_map(pb::Message& preset, const pb::Message& overrides, const FieldDescriptor& field) {
  const FieldDescriptor& value = map_value_field(field);
  for (const pb::Message* entry : map_entries(overrides, field)) {
    pb::Message* existing = find_map_entry(preset, field, map_key(*entry));
    pb::Message& target = existing ? *existing : add_map_entry(preset, field, map_key(*entry));
    if (value.message_type()) {
      merge_preset(*target.GetReflection()->MutableMessage(&target, &value), entry->GetReflection()->GetMessage(*entry, &value));
    } else {
      set_scalar(target, value, get_scalar(*entry, value));
    }
  }
}

void replace_list(pb::Message& preset, const pb::Message& overrides, const FieldDescriptor& field) {
  preset.GetReflection()->ClearField(&preset, &field);
  for (int i = 0; i < overrides.GetReflection()->FieldSize(overrides, &field); ++i) {
    if (field.message_type()) {
      preset.GetReflection()->AddMessage(&preset, &field)->CopyFrom(overrides.GetReflection()->GetRepeatedMessage(overrides, &field, i));
    } else {
      append_scalar(preset, field, get_scalar(overrides, field, i));
    }
  }
}

}  // namespace

void merge_preset(pb::Message& preset, const pb::Message& overrides) {
  const pb::Descriptor& type = *preset.GetDescriptor();
  invariant(&type == overrides.GetDescriptor(), "a preset and its overrides are of one type");
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (!is_given(overrides, field)) continue;
    if (field.is_map()) {
      merge_map(preset, overrides, field);
    } else if (field.is_repeated()) {
      replace_list(preset, overrides, field);
    } else if (field.message_type()) {
      merge_preset(*preset.GetReflection()->MutableMessage(&preset, &field), overrides.GetReflection()->GetMessage(overrides, &field));
    } else {
      set_scalar(preset, field, get_scalar(overrides, field));
    }
  }
}

}  // namespace rackwright::scenarios
