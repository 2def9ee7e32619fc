#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// A value of an enum by its number in the schema.
struct EnumNumber {
  int number = 0;
  bool operator==(const EnumNumber&) const = default;
};

/// A value of one scalar field: a quantity in SI base units, a count, a truth value, a text, a choice.
using ScalarValue = std::variant<double, std::int64_t, bool, std::string, EnumNumber>;

/// Why a written value does not fit its field, and what to do.
struct ValueProblem {
  std::string message;
  std::string hint;
};

/// Reads a value as a user writes it ("4.8 TB/s", "8192", "vllm-v1", "true") by the field's type, unit
/// and range; for a list or map field, one of its values. Fills `problem` when the text does not fit.
std::optional<ScalarValue> parse_scalar(const pb::FieldDescriptor& field, std::string_view text,
                                        ValueProblem& problem);

/// The text that reads back to the same value.
std::string format_scalar(const pb::FieldDescriptor& field, const ScalarValue& value);

/// What is wrong with a value that did not come from text: out of range, not finite, an unknown choice.
std::optional<ValueProblem> value_problem(const pb::FieldDescriptor& field, const ScalarValue& value);

/// What the field takes, for messages: "a quantity in B/s", "a whole number", "a scheduler policy".
std::string expected_value(const pb::FieldDescriptor& field);

/// The range for people: "above 0 B/s", "from 1 to 64", or "".
std::string range_text(const pb::FieldDescriptor& field);

}  // namespace rackwright::scenarios
