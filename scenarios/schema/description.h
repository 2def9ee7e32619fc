#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

enum class ParameterType { quantity, count, truth, text, choice, group };
enum class Multiplicity { one, list, map };

/// A value that a choice can have.
struct ChoiceInfo {
  std::string name;
  std::string help;
};

/// One parameter, free of Protobuf: what `explain`, the reference and a property editor show.
struct ParameterInfo {
  std::string name;
  ParameterType type = ParameterType::text;
  Multiplicity multiplicity = Multiplicity::one;
  std::string help;
  std::string unit;    ///< Of quantities: the unit in which the value is kept; "" is a plain number.
  std::string counts;  ///< What a count counts.
  std::optional<double> min, max, above, below;
  std::string range;         ///< The same for people: "above 0 B/s"; may be empty.
  std::string default_text;  ///< As a user would write it; may be empty.
  std::string source;        ///< Of the default.
  std::string example;
  std::string refers_to;
  bool required = false;
  std::vector<std::string> applies_when;
  std::string since;
  std::vector<ChoiceInfo> choices;  ///< Of a choice.
  std::string group;                ///< Of a group: the name of its GroupInfo.
};

/// One message of the schema: a group of parameters that a file writes as a mapping.
struct GroupInfo {
  std::string name;  ///< "Pool".
  std::string help;
  std::string shorthand;  ///< The parameter that a bare value fills; may be empty.
  std::string key;        ///< The parameter that names an item of a list of these; may be empty.
  std::string catalog;    ///< What the catalog calls these; may be empty.
  std::string document;   ///< Of a file's root: what its `schema` says; may be empty.
  std::vector<ParameterInfo> parameters;

  const ParameterInfo* find(std::string_view name) const;
};

/// A root group, first, and every group that it reaches, each once, in the order of the schema.
struct SchemaDescription {
  std::vector<GroupInfo> groups;

  const GroupInfo& root() const { return groups.front(); }
  const GroupInfo* find(std::string_view group) const;
};

SchemaDescription describe(const pb::Descriptor& root);
ParameterInfo describe_parameter(const pb::FieldDescriptor& field);

/// "quantity in B/s", "whole number of tokens", "one of vllm-v1, sarathi", "list of Pool".
std::string type_text(const ParameterInfo& parameter);

}  // namespace rackwright::scenarios
