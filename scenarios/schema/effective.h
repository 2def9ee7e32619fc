#pragma once

#include <optional>
#include <string>

#include "scenarios/schema/protobuf_fwd.h"
#include "scenarios/schema/scalar_value.h"

namespace rackwright::scenarios {

/// The field's default, parsed by the same rules as a file; nothing where the schema states none.
std::optional<ScalarValue> default_value(const pb::FieldDescriptor& field);

/// What holds for a singular scalar: the given value, else the default, else nothing.
std::optional<ScalarValue> effective(const pb::Message& message, const pb::FieldDescriptor& field);

/// The same by the field's number in the schema, for code that knows it has a value or a default:
///   effective_count(pool, v1::Pool::kTensorParallelFieldNumber)
double effective_quantity(const pb::Message& message, int field_number);
std::int64_t effective_count(const pb::Message& message, int field_number);
bool effective_truth(const pb::Message& message, int field_number);
std::string effective_text(const pb::Message& message, int field_number);
/// As the enum of the generated code: effective_choice<v1::RoutingPolicy>(routing, …).
int effective_choice_number(const pb::Message& message, int field_number);
/// As a file writes it: "vllm-v1".
std::string effective_written(const pb::Message& message, int field_number);
template <class Enum>
Enum effective_choice(const pb::Message& message, int field_number) {
  return static_cast<Enum>(effective_choice_number(message, field_number));
}

/// Writes the defaults that hold into every present message, for the resolved echo of a run.
/// Leaves out those that have no effect beside the values given.
void fill_defaults(pb::Message& message);

}  // namespace rackwright::scenarios
