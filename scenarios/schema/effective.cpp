#include "scenarios/schema/effective.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "models/base/invariant.h"
#include "scenarios/schema/applies_when.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/written_names.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

template <class T>
T effective_as(const pb::Message& message, int field_number) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByNumber(field_number);
  invariant(field != nullptr, "no such field number in " + std::string(message.GetDescriptor()->full_name()));
  const std::optional<ScalarValue> value = effective(message, *field);
  const std::string name(field->full_name());
  invariant(value.has_value(), name + " has neither a value nor a default");
  const T* held = std::get_if<T>(&*value);
  invariant(held != nullptr, name + " is of another type");
  return *held;
}

}  // namespace

std::optional<ScalarValue> default_value(const FieldDescriptor& field) {
  const std::string& text = parameter_of(field).default_();
  if (text.empty() || field.is_repeated() || holds_messages(field)) return std::nullopt;
  ValueProblem problem;
  const std::optional<ScalarValue> value = parse_scalar(field, text, problem);
  invariant(value.has_value(), "the default of " + std::string(field.full_name()) + ": " + problem.message);
  return value;
}

std::optional<ScalarValue> effective(const pb::Message& message, const FieldDescriptor& field) {
  if (is_given(message, field)) return get_scalar(message, field);
  return default_value(field);
}

double effective_quantity(const pb::Message& message, int field_number) {
  return effective_as<double>(message, field_number);
}
std::int64_t effective_count(const pb::Message& message, int field_number) {
  return effective_as<std::int64_t>(message, field_number);
}
bool effective_truth(const pb::Message& message, int field_number) { return effective_as<bool>(message, field_number); }
std::string effective_text(const pb::Message& message, int field_number) {
  return effective_as<std::string>(message, field_number);
}
int effective_choice_number(const pb::Message& message, int field_number) {
  return effective_as<EnumNumber>(message, field_number).number;
}

std::string effective_written(const pb::Message& message, int field_number) {
  const FieldDescriptor& field = *message.GetDescriptor()->FindFieldByNumber(field_number);
  return written_name(*field.enum_type()->FindValueByNumber(effective_choice_number(message, field_number)));
}

void fill_defaults(pb::Message& message) {
  const pb::Descriptor& type = *message.GetDescriptor();
  const pb::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (holds_messages(field)) {
      if (!field.is_repeated()) {
        if (is_given(message, field)) fill_defaults(*reflection.MutableMessage(&message, &field));
        continue;
      }
      for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
        pb::Message& item = *reflection.MutableRepeatedMessage(&message, &field, k);
        fill_defaults(field.is_map() ? *item.GetReflection()->MutableMessage(&item, &map_value_field(field)) : item);
      }
    } else if (!is_given(message, field) && !reason_without_effect(message, field)) {
      if (const std::optional<ScalarValue> value = default_value(field)) set_scalar(message, field, *value);
    }
  }
}

}  // namespace rackwright::scenarios
