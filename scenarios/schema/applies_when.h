#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// One condition of `applies_when` in options.proto: "policy: vllm-v1 | sarathi", "trace: not given",
/// "tensor_parallel: > 1".
struct Condition {
  enum class Test { is_one_of, is_given, is_greater, is_greater_or_equal, is_less, is_less_or_equal };

  std::vector<std::string> path;  ///< Fields from the message down: {"scheduler", "policy"}.
  Test test = Test::is_one_of;
  bool negated = false;
  std::vector<std::string> values;  ///< As written; one for a comparison, none for "given".
};

/// Nothing when the text does not follow the grammar.
std::optional<Condition> parse_condition(std::string_view text);

/// The number that a comparison with this field states: plain, in the field's own unit, or with a unit.
std::optional<double> comparison_value(const pb::FieldDescriptor& field, const std::string& text);

/// Why the field has no effect in this message: "policy is fcfs", "trace is not given"; nothing if it has one.
/// Values are the given ones or the defaults.
std::optional<std::string> reason_without_effect(const pb::Message& message, const pb::FieldDescriptor& field);

}  // namespace rackwright::scenarios
