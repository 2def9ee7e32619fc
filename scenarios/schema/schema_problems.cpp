#include "scenarios/schema/schema_problems.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "models/base/quantity.h"
#include "scenarios/schema/applies_when.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scalar_value.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

class SchemaCheck {
 public:
  void check(const pb::Descriptor& type) {
    if (std::ranges::find(seen_, &type) != seen_.end()) return;
    seen_.push_back(&type);
    check_group(type);
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      check_field(field);
      if (const pb::Descriptor* held = held_type(field)) check(*held);
    }
  }

  std::vector<std::string> take() { return std::move(problems_); }

 private:
  template <class Described>
  void add(const Described& described, std::string_view problem) {
    problems_.push_back(fmt::format("{}: {}", std::string(described.full_name()), problem));
  }

  void check_group(const pb::Descriptor& type) {
    const v1::Group& rules = group_of(type);
    if (rules.help().empty()) add(type, "has no help");
    for (const std::string& name : {rules.shorthand(), rules.key()}) {
      if (name.empty()) continue;
      const FieldDescriptor* field = type.FindFieldByName(name);
      if (!field) add(type, fmt::format("has no field '{}'", name));
      if (field && holds_messages(*field)) add(type, fmt::format("'{}' is not a scalar", name));
      if (field && field->is_map()) add(type, fmt::format("'{}' is a map", name));
    }
    if (!rules.document().empty() && !type.FindFieldByName("schema")) add(type, "is a document without a field 'schema'");
  }

  void check_field(const FieldDescriptor& field) {
    const v1::Parameter& rules = parameter_of(field);
    const FieldDescriptor& leaf = field.is_map() ? map_value_field(field) : field;
    if (rules.help().empty()) add(field, "has no help");
    if (rules.help().ends_with('.')) add(field, "its help ends with a full stop");
    if (!supported(leaf)) return add(field, "is of a type that files cannot hold");
    if (field.is_map() && field.message_type()->map_key()->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
      return add(field, "has keys that are not strings");
    }
    if (!field.is_repeated() && !field.has_presence()) add(field, "is not declared optional");
    if (field.real_containing_oneof()) add(field, "is in a oneof; edits cannot keep those, conditions can");
    const bool quantity = leaf.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    if (!rules.unit().empty() && !quantity) add(field, "has a unit, but is not a double");
    if (!rules.unit().empty() && units_of(rules.unit()).empty()) add(field, fmt::format("unit '{}' is not known", rules.unit()));
    if (!holds_messages(field)) check_values(field);
    for (const std::string& condition : rules.applies_when()) check_condition(field, condition);
  }

  void check_values(const FieldDescriptor& field) {
    const v1::Parameter& rules = parameter_of(field);
    if (!rules.default_().empty()) {
      if (field.is_repeated()) add(field, "a list cannot have a default");
      if (rules.required()) add(field, "is required and has a default");
      if (rules.source().empty()) add(field, "its default has no source");
      check_value(field, "default", rules.default_());
    }
    if (!rules.example().empty() && !field.is_repeated()) check_value(field, "example", rules.example());
  }

  void check_value(const FieldDescriptor& field, std::string_view which, const std::string& text) {
    ValueProblem problem;
    if (!parse_scalar(field, text, problem)) add(field, fmt::format("its {}: {}", which, problem.message));
  }

  void check_condition(const FieldDescriptor& field, const std::string& text) {
    const std::optional<Condition> condition = parse_condition(text);
    if (!condition) return add(field, fmt::format("applies_when '{}' cannot be read", text));
    const pb::Descriptor* type = field.containing_type();
    const FieldDescriptor* tested = nullptr;
    for (const std::string& name : condition->path) {
      tested = type ? type->FindFieldByName(name) : nullptr;
      if (!tested) return add(field, fmt::format("applies_when '{}' names no field", text));
      type = tested->is_repeated() ? nullptr : tested->message_type();
    }
    if (condition->test == Condition::Test::is_given) return;
    if (tested->is_repeated() || holds_messages(*tested)) {
      return add(field, fmt::format("applies_when '{}' can only test for 'given'", text));
    }
    if (condition->test != Condition::Test::is_one_of) {
      if (!comparison_value(*tested, condition->values.front())) add(field, fmt::format("applies_when '{}' compares with no number", text));
      return;
    }
    for (const std::string& value : condition->values) check_value(*tested, "use in applies_when", value);
  }

  static bool supported(const FieldDescriptor& leaf) {
    switch (leaf.type()) {
      case FieldDescriptor::TYPE_DOUBLE:
      case FieldDescriptor::TYPE_INT32:
      case FieldDescriptor::TYPE_INT64:
      case FieldDescriptor::TYPE_BOOL:
      case FieldDescriptor::TYPE_STRING:
      case FieldDescriptor::TYPE_ENUM:
      case FieldDescriptor::TYPE_MESSAGE: return true;
      default: return false;
    }
  }

  std::vector<const pb::Descriptor*> seen_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> schema_problems(const pb::Descriptor& root) {
  SchemaCheck check;
  check.check(root);
  return check.take();
}

}  // namespace rackwright::scenarios
