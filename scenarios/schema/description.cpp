#include "scenarios/schema/description.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "scenarios/schema/options.h"
#include "scenarios/schema/scalar_value.h"
#include "scenarios/schema/written_names.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

ParameterType type_of(const FieldDescriptor& leaf) {
  switch (leaf.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE: return ParameterType::quantity;
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64: return ParameterType::count;
    case FieldDescriptor::CPPTYPE_BOOL: return ParameterType::truth;
    case FieldDescriptor::CPPTYPE_ENUM: return ParameterType::choice;
    case FieldDescriptor::CPPTYPE_MESSAGE: return ParameterType::group;
    default: return ParameterType::text;
  }
}

std::vector<ChoiceInfo> choices_of(const pb::EnumDescriptor& type) {
  std::vector<ChoiceInfo> choices;
  for (int i = 0; i < type.value_count(); ++i) {
    const pb::EnumValueDescriptor& value = *type.value(i);
    if (std::string name = written_name(value); !name.empty()) choices.push_back({std::move(name), choice_of(value).help()});
  }
  return choices;
}

GroupInfo describe_group(const pb::Descriptor& type) {
  const v1::Group& rules = group_of(type);
  GroupInfo group{.name = std::string(type.name()),
                  .help = rules.help(),
                  .shorthand = rules.shorthand(),
                  .key = rules.key(),
                  .catalog = rules.catalog(),
                  .document = rules.document(),
                  .parameters = {}};
  for (int i = 0; i < type.field_count(); ++i) group.parameters.push_back(describe_parameter(*type.field(i)));
  return group;
}

std::string one_of(const std::vector<ChoiceInfo>& choices) {
  std::string text = "one of ";
  for (const ChoiceInfo& choice : choices) text += (&choice == &choices.front() ? "" : ", ") + choice.name;
  return text;
}

std::string single_type_text(const ParameterInfo& parameter) {
  switch (parameter.type) {
    case ParameterType::quantity:
      if (parameter.unit.empty()) return parameter.counts.empty() ? "number" : "number of " + parameter.counts;
      return parameter.unit == "fraction" ? "fraction or percentage" : "quantity in " + parameter.unit;
    case ParameterType::count:
      return parameter.counts.empty() ? "whole number" : "whole number of " + parameter.counts;
    case ParameterType::truth: return "true or false";
    case ParameterType::text: return "text";
    case ParameterType::choice: return one_of(parameter.choices);
    case ParameterType::group: return parameter.group;
  }
  return {};
}

}  // namespace

const ParameterInfo* GroupInfo::find(std::string_view parameter) const {
  const auto found = std::ranges::find(parameters, parameter, &ParameterInfo::name);
  return found == parameters.end() ? nullptr : &*found;
}

const GroupInfo* SchemaDescription::find(std::string_view group) const {
  const auto found = std::ranges::find(groups, group, &GroupInfo::name);
  return found == groups.end() ? nullptr : &*found;
}

ParameterInfo describe_parameter(const FieldDescriptor& field) {
  const FieldDescriptor& leaf = field.is_map() ? map_value_field(field) : field;
  const v1::Parameter& rules = parameter_of(field);
  ParameterInfo info;
  info.name = std::string(field.name());
  info.type = type_of(leaf);
  info.multiplicity = field.is_map() ? Multiplicity::map : field.is_repeated() ? Multiplicity::list : Multiplicity::one;
  info.help = rules.help();
  info.unit = rules.unit();
  info.counts = rules.counts();
  if (rules.has_min()) info.min = rules.min();
  if (rules.has_max()) info.max = rules.max();
  if (rules.has_above()) info.above = rules.above();
  if (rules.has_below()) info.below = rules.below();
  info.range = range_text(field);
  info.default_text = rules.default_();
  info.source = rules.source();
  info.example = rules.example();
  info.refers_to = rules.refers_to();
  info.required = rules.required();
  info.applies_when.assign(rules.applies_when().begin(), rules.applies_when().end());
  info.since = rules.since();
  if (info.type == ParameterType::choice) info.choices = choices_of(*leaf.enum_type());
  if (info.type == ParameterType::group) info.group = std::string(leaf.message_type()->name());
  return info;
}

SchemaDescription describe(const pb::Descriptor& root) {
  // Breadth first, so that a group stands near those that use it; a message may reach itself.
  std::vector<const pb::Descriptor*> types = {&root};
  for (std::size_t next = 0; next < types.size(); ++next) {
    const pb::Descriptor& type = *types[next];
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::Descriptor* held = held_type(*type.field(i));
      if (held && std::ranges::find(types, held) == types.end()) types.push_back(held);
    }
  }
  SchemaDescription description;
  for (const pb::Descriptor* type : types) description.groups.push_back(describe_group(*type));
  return description;
}

std::string type_text(const ParameterInfo& parameter) {
  const std::string single = single_type_text(parameter);
  switch (parameter.multiplicity) {
    case Multiplicity::list: return "list of " + single;
    case Multiplicity::map: return "mapping of names to " + single;
    case Multiplicity::one: break;
  }
  return single;
}

}  // namespace rackwright::scenarios
