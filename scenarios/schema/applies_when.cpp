#include "scenarios/schema/applies_when.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <utility>

#include "models/base/invariant.h"
#include "models/base/quantity.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;
using Test = Condition::Test;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.emplace_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// The message that holds the last field of the path, and that field. An absent message on the way
/// stands for one with nothing given.
std::pair<const pb::Message*, const FieldDescriptor*> resolve(const pb::Message& message, const Condition& condition) {
  const pb::Message* holder = &message;
  for (std::size_t i = 0;; ++i) {
    const FieldDescriptor* field = holder->GetDescriptor()->FindFieldByName(condition.path[i]);
    invariant(field != nullptr, "applies_when names a field that the message lacks: " + condition.path[i]);
    if (i + 1 == condition.path.size()) return {holder, field};
    invariant(field->message_type() != nullptr && !field->is_repeated(), "applies_when passes through a list");
    holder = &holder->GetReflection()->GetMessage(*holder, field);
  }
}

double as_number(const ScalarValue& value) {
  if (const auto* quantity = std::get_if<double>(&value)) return *quantity;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  invariant_failed("applies_when compares what is not a number");
}

ScalarValue condition_value(const FieldDescriptor& field, const std::string& text) {
  ValueProblem problem;
  std::optional<ScalarValue> value = parse_scalar(field, text, problem);
  invariant(value.has_value(), "applies_when on " + std::string(field.full_name()) + ": " + problem.message);
  return *value;
}

bool holds(const Condition& condition, const pb::Message& holder, const FieldDescriptor& field) {
  if (condition.test == Test::is_given) return is_given(holder, field);
  const std::optional<ScalarValue> value = effective(holder, field);
  if (!value) return false;
  if (condition.test == Test::is_one_of) {
    return std::ranges::any_of(condition.values,
                               [&](const std::string& text) { return condition_value(field, text) == *value; });
  }
  const double left = as_number(*value);
  const std::optional<double> right = comparison_value(field, condition.values.front());
  invariant(right.has_value(), "applies_when on " + std::string(field.full_name()) + " compares with no number");
  switch (condition.test) {
    case Test::is_greater: return left > *right;
    case Test::is_greater_or_equal: return left >= *right;
    case Test::is_less: return left < *right;
    default: return left <= *right;
  }
}

/// What is so instead: "scheduler.policy is fcfs", "trace is given".
std::string state_of(const Condition& condition, const pb::Message& holder, const FieldDescriptor& field) {
  std::string name;
  for (const std::string& part : condition.path) name += (name.empty() ? "" : ".") + part;
  if (condition.test == Test::is_given || holds_messages(field)) {
    return name + (is_given(holder, field) ? " is given" : " is not given");
  }
  const std::optional<ScalarValue> value = effective(holder, field);
  return value ? name + " is " + format_scalar(field, *value) : name + " is not given";
}

}  // namespace

std::optional<Condition> parse_condition(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Condition condition;
  condition.path = split(text.substr(0, colon), '.');
  std::string_view rest = trimmed(text.substr(colon + 1));
  if (rest.starts_with("not ")) {
    condition.negated = true;
    rest = trimmed(rest.substr(4));
  }
  if (rest == "given") {
    condition.test = Test::is_given;
    return condition;
  }
  using Comparison = std::pair<std::string_view, Test>;
  constexpr auto comparisons = std::to_array<Comparison>({{">=", Test::is_greater_or_equal}, {"<=", Test::is_less_or_equal},
                                                          {">", Test::is_greater}, {"<", Test::is_less}});
  for (const auto& [symbol, test] : comparisons) {
    if (!rest.starts_with(symbol)) continue;
    condition.test = test;
    condition.values = {std::string(trimmed(rest.substr(symbol.size())))};
    return condition.values.front().empty() ? std::nullopt : std::optional(condition);
  }
  condition.values = split(rest, '|');
  if (std::ranges::any_of(condition.values, &std::string::empty)) return std::nullopt;
  return condition;
}

std::optional<double> comparison_value(const FieldDescriptor& field, const std::string& text) {
  QuantityError error;
  const std::optional<double> plain = parse_quantity(text, "", error);
  return plain ? plain : parse_quantity(text, parameter_of(field).unit(), error);
}

std::optional<std::string> reason_without_effect(const pb::Message& message, const FieldDescriptor& field) {
  for (const std::string& text : parameter_of(field).applies_when()) {
    const std::optional<Condition> condition = parse_condition(text);
    invariant(condition.has_value(), "applies_when of " + std::string(field.full_name()) + " reads '" + text + "'");
    const auto [holder, tested] = resolve(message, *condition);
    if (holds(*condition, *holder, *tested) == condition->negated) return state_of(*condition, *holder, *tested);
  }
  return std::nullopt;
}

}  // namespace rackwright::scenarios
