#include "scenarios/schema/message_values.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

[[noreturn]] void unknown_type(const FieldDescriptor& field) {
  invariant_failed("the codec lacks the type of field " + std::string(field.full_name()));
}

}  // namespace

ScalarValue get_scalar(const pb::Message& message, const FieldDescriptor& field) {
  const pb::Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: return reflection.GetDouble(message, &field);
    case FieldDescriptor::CPPTYPE_INT32: return std::int64_t{reflection.GetInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_INT64: return std::int64_t{reflection.GetInt64(message, &field)};
    case FieldDescriptor::CPPTYPE_BOOL: return reflection.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_STRING: return reflection.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM: return EnumNumber{reflection.GetEnumValue(message, &field)};
    default: unknown_type(field);
  }
}

ScalarValue get_scalar(const pb::Message& message, const FieldDescriptor& field, int index) {
  const pb::Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: return reflection.GetRepeatedDouble(message, &field, index);
    case FieldDescriptor::CPPTYPE_INT32: return std::int64_t{reflection.GetRepeatedInt32(message, &field, index)};
    case FieldDescriptor::CPPTYPE_INT64: return std::int64_t{reflection.GetRepeatedInt64(message, &field, index)};
    case FieldDescriptor::CPPTYPE_BOOL: return reflection.GetRepeatedBool(message, &field, index);
    case FieldDescriptor::CPPTYPE_STRING: return reflection.GetRepeatedString(message, &field, index);
    case FieldDescriptor::CPPTYPE_ENUM: return EnumNumber{reflection.GetRepeatedEnumValue(message, &field, index)};
    default: unknown_type(field);
  }
}

void set_scalar(pb::Message& message, const FieldDescriptor& field, const ScalarValue& value) {
  const pb::Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: return reflection.SetDouble(&message, &field, std::get<double>(value));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(&message, &field, static_cast<std::int32_t>(std::get<std::int64_t>(value)));
    case FieldDescriptor::CPPTYPE_INT64: return reflection.SetInt64(&message, &field, std::get<std::int64_t>(value));
    case FieldDescriptor::CPPTYPE_BOOL: return reflection.SetBool(&message, &field, std::get<bool>(value));
    case FieldDescriptor::CPPTYPE_STRING: return reflection.SetString(&message, &field, std::get<std::string>(value));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&message, &field, std::get<EnumNumber>(value).number);
    default: unknown_type(field);
  }
}

void append_scalar(pb::Message& message, const FieldDescriptor& field, const ScalarValue& value) {
  const pb::Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: return reflection.AddDouble(&message, &field, std::get<double>(value));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.AddInt32(&message, &field, static_cast<std::int32_t>(std::get<std::int64_t>(value)));
    case FieldDescriptor::CPPTYPE_INT64: return reflection.AddInt64(&message, &field, std::get<std::int64_t>(value));
    case FieldDescriptor::CPPTYPE_BOOL: return reflection.AddBool(&message, &field, std::get<bool>(value));
    case FieldDescriptor::CPPTYPE_STRING: return reflection.AddString(&message, &field, std::get<std::string>(value));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.AddEnumValue(&message, &field, std::get<EnumNumber>(value).number);
    default: unknown_type(field);
  }
}

void set_item(pb::Message& message, const FieldDescriptor& list, int index, const ScalarValue& value) {
  append_scalar(message, list, value);
  const pb::Reflection& reflection = *message.GetReflection();
  reflection.SwapElements(&message, &list, index, reflection.FieldSize(message, &list) - 1);
  reflection.RemoveLast(&message, &list);
}

void remove_item(pb::Message& message, const FieldDescriptor& list, int index) {
  const pb::Reflection& reflection = *message.GetReflection();
  const int last = reflection.FieldSize(message, &list) - 1;
  for (int i = index; i < last; ++i) reflection.SwapElements(&message, &list, i, i + 1);
  reflection.RemoveLast(&message, &list);
}

void remove_map_entry(pb::Message& message, const FieldDescriptor& map, std::string_view key) {
  const pb::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < reflection.FieldSize(message, &map); ++i) {
    if (map_key(reflection.GetRepeatedMessage(message, &map, i)) == key) return remove_item(message, map, i);
  }
}

bool is_given(const pb::Message& message, const FieldDescriptor& field) {
  const pb::Reflection& reflection = *message.GetReflection();
  return field.is_repeated() ? reflection.FieldSize(message, &field) > 0 : reflection.HasField(message, &field);
}

std::string map_key(const pb::Message& entry) {
  return entry.GetReflection()->GetString(entry, entry.GetDescriptor()->map_key());
}

std::vector<const pb::Message*> map_entries(const pb::Message& message, const FieldDescriptor& map) {
  const pb::Reflection& reflection = *message.GetReflection();
  std::vector<std::pair<std::string, const pb::Message*>> by_key;
  for (int i = 0; i < reflection.FieldSize(message, &map); ++i) {
    const pb::Message& entry = reflection.GetRepeatedMessage(message, &map, i);
    by_key.emplace_back(map_key(entry), &entry);
  }
  std::ranges::sort(by_key);
  std::vector<const pb::Message*> entries;
  for (const auto& [key, entry] : by_key) entries.push_back(entry);
  return entries;
}

pb::Message* find_map_entry(pb::Message& message, const FieldDescriptor& map, std::string_view key) {
  const pb::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < reflection.FieldSize(message, &map); ++i) {
    if (map_key(reflection.GetRepeatedMessage(message, &map, i)) == key) {
      return reflection.MutableRepeatedMessage(&message, &map, i);
    }
  }
  return nullptr;
}

pb::Message& add_map_entry(pb::Message& message, const FieldDescriptor& map, std::string_view key) {
  pb::Message& entry = *message.GetReflection()->AddMessage(&message, &map);
  entry.GetReflection()->SetString(&entry, entry.GetDescriptor()->map_key(), std::string(key));
  const FieldDescriptor* value = entry.GetDescriptor()->map_value();
  if (value->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) entry.GetReflection()->MutableMessage(&entry, value);
  return entry;
}

}  // namespace rackwright::scenarios
