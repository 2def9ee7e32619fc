#include "scenarios/schema/scalar_value.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "models/base/invariant.h"
#include "models/base/names.h"
#include "models/base/quantity.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/utf8.h"
#include "scenarios/schema/written_names.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

/// A map field stands for its values.
const FieldDescriptor& value_field(const FieldDescriptor& field) {
  return field.is_map() ? map_value_field(field) : field;
}

std::string with_article(const std::string& noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string bound_text(const FieldDescriptor& field, double bound) {
  const bool whole = value_field(field).cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE;
  if (whole) return fmt::format("{}", static_cast<std::int64_t>(bound));
  return format_quantity(bound, parameter_of(field).unit());
}

std::string range_hint(const FieldDescriptor& field) {
  const std::string range = range_text(field);
  return range.empty() ? range : "allowed: " + range;
}

std::optional<double> parse_double(const FieldDescriptor& field, std::string_view text, ValueProblem& problem) {
  const std::string& unit = parameter_of(field).unit();
  QuantityError error;
  const std::optional<double> value = parse_quantity(text, unit, error);
  if (!value) {
    problem = {error.message, error.hint};
  } else if (!std::isfinite(*value)) {
    problem = {fmt::format("'{}' is too large", text), range_hint(field)};
    return std::nullopt;
  }
  return value;
}

/// Counts may be written 8192, 1e6 or 1.0, but must be whole.
std::optional<std::int64_t> parse_count(const FieldDescriptor& field, std::string_view text, ValueProblem& problem) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const char* end = digits.data() + digits.size();
  std::int64_t count = 0;
  bool fits = true;
  if (const auto [stop, failure] = std::from_chars(digits.data(), end, count); stop != end || failure != std::errc{}) {
    double number = 0;
    const auto [number_stop, number_failure] = std::from_chars(digits.data(), end, number);
    const bool is_number = !digits.empty() && number_stop == end && number_failure != std::errc::invalid_argument;
    if (!is_number || (std::isfinite(number) && number != std::floor(number))) {
      const std::string& counts = parameter_of(field).counts();
      problem = {fmt::format("'{}' is not a whole number", text), counts.empty() ? "" : "a plain count of " + counts};
      return std::nullopt;
    }
    constexpr double largest_exact = 9007199254740992;  // 2^53
    fits = failure != std::errc::result_out_of_range && number_failure == std::errc{} &&
           std::abs(number) <= largest_exact;
    count = fits ? static_cast<std::int64_t>(number) : 0;
  }
  if (value_field(field).cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    fits = fits && count >= std::numeric_limits<std::int32_t>::min() && count <= std::numeric_limits<std::int32_t>::max();
  }
  if (fits) return count;
  problem = {fmt::format("'{}' is too large", text), range_hint(field)};
  return std::nullopt;
}

std::optional<ScalarValue> parse_by_type(const FieldDescriptor& field, std::string_view text, ValueProblem& problem) {
  const FieldDescriptor& leaf = value_field(field);
  switch (leaf.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: return parse_double(field, trimmed(text), problem);
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64: return parse_count(field, trimmed(text), problem);
    case FieldDescriptor::CPPTYPE_STRING: return std::string(text);
    case FieldDescriptor::CPPTYPE_BOOL: {
      const std::string_view word = trimmed(text);
      if (word == "true" || word == "false") return word == "true";
      problem = {fmt::format("'{}' is not true or false", word), "write true or false"};
      return std::nullopt;
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const std::string_view word = trimmed(text);
      if (const auto* value = find_written(*leaf.enum_type(), word)) return EnumNumber{value->number()};
      problem = {fmt::format("unknown {} '{}'", plain_name(*leaf.enum_type()), word),
                 name_hint(word, written_names(*leaf.enum_type()))};
      return std::nullopt;
    }
    default: invariant_failed("the schema uses a field type that the codec lacks");
  }
}

}  // namespace

std::optional<ScalarValue> parse_scalar(const FieldDescriptor& field, std::string_view text, ValueProblem& problem) {
  std::optional<ScalarValue> value = parse_by_type(field, text, problem);
  if (!value) return std::nullopt;
  if (std::optional<ValueProblem> found = value_problem(field, *value)) {
    problem = std::move(*found);
    return std::nullopt;
  }
  return value;
}

std::string format_scalar(const FieldDescriptor& field, const ScalarValue& value) {
  if (const auto* quantity = std::get_if<double>(&value)) return format_quantity(*quantity, parameter_of(field).unit());
  if (const auto* count = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *count);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* choice = value_field(field).enum_type()->FindValueByNumber(std::get<EnumNumber>(value).number);
  return choice ? written_name(*choice) : std::string();
}

std::optional<ValueProblem> value_problem(const FieldDescriptor& field, const ScalarValue& value) {
  if (std::holds_alternative<EnumNumber>(value)) {
    if (!format_scalar(field, value).empty()) return std::nullopt;
    const pb::EnumDescriptor& type = *value_field(field).enum_type();
    return ValueProblem{fmt::format("{} is not the number of {}", std::get<EnumNumber>(value).number,
                                    with_article(plain_name(type))),
                        name_hint("", written_names(type))};
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return is_utf8(*text) ? std::nullopt : std::optional(ValueProblem{"the text is not valid UTF-8", ""});
  }
  double number = 0;
  if (const auto* quantity = std::get_if<double>(&value)) {
    number = *quantity;
  } else if (const auto* count = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*count);
  } else {
    return std::nullopt;
  }
  if (!std::isfinite(number)) return ValueProblem{"the value is not finite", range_hint(field)};
  const v1::Parameter& rules = parameter_of(field);
  const bool inside = (!rules.has_min() || number >= rules.min()) && (!rules.has_max() || number <= rules.max()) &&
                      (!rules.has_above() || number > rules.above()) && (!rules.has_below() || number < rules.below());
  if (inside) return std::nullopt;
  return ValueProblem{fmt::format("{} is out of range", format_scalar(field, value)), range_hint(field)};
}

std::string expected_value(const FieldDescriptor& field) {
  const FieldDescriptor& leaf = value_field(field);
  switch (leaf.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const std::string& unit = parameter_of(field).unit();
      if (unit.empty()) return "a number";
      return unit == "fraction" ? "a fraction or a percentage" : "a quantity in " + unit;
    }
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64: return "a whole number";
    case FieldDescriptor::CPPTYPE_BOOL: return "true or false";
    case FieldDescriptor::CPPTYPE_ENUM: return with_article(plain_name(*leaf.enum_type()));
    default: return "a text";
  }
}

std::string range_text(const FieldDescriptor& field) {
  const v1::Parameter& rules = parameter_of(field);
  const std::string low = rules.has_min()     ? bound_text(field, rules.min())
                          : rules.has_above() ? "above " + bound_text(field, rules.above())
                                              : std::string();
  const std::string high = rules.has_max()     ? bound_text(field, rules.max())
                           : rules.has_below() ? "below " + bound_text(field, rules.below())
                                               : std::string();
  if (low.empty() && high.empty()) return {};
  if (high.empty()) return rules.has_min() ? "at least " + low : low;
  if (low.empty()) return rules.has_max() ? "at most " + high : high;
  if (rules.has_min() && rules.has_max()) return fmt::format("{} to {}", low, high);
  return fmt::format("{} and {}", rules.has_min() ? "at least " + low : low, rules.has_max() ? "at most " + high : high);
}

}  // namespace rackwright::scenarios
