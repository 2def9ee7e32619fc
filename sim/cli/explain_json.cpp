#include "sim/cli/explain_json.h"

#include <nlohmann/json.hpp>

namespace rackwright::cli {
namespace {

using Json = nlohmann::ordered_json;

Json parameter_json(const scenarios::ParameterInfo& parameter) {
  Json json{{"name", parameter.name}, {"help", parameter.help}, {"type", type_text(parameter)}, {"required", parameter.required}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  add("unit", parameter.unit);
  add("range", parameter.range);
  add("default", parameter.default_text);
  add("because", parameter.source);
  add("example", parameter.example);
  add("refers_to", parameter.refers_to);
  add("since", parameter.since);
  if (!parameter.applies_when.empty()) json["applies_when"] = parameter.applies_when;
  for (const scenarios::ChoiceInfo& choice : parameter.choices) json["choices"].push_back({{"name", choice.name}, {"help", choice.help}});
  return json;
}

Json group_json(const scenarios::GroupInfo& group) {
  Json json{{"name", group.name}, {"help", group.help}};
  if (!group.shorthand.empty()) json["bare_value_fills"] = group.shorthand;
  if (!group.key.empty()) json["item_addressed_by"] = group.key;
  json["parameters"] = Json::array();
  for (const scenarios::ParameterInfo& parameter : group.parameters) json["parameters"].push_back(parameter_json(parameter));
  return json;
}

}  // namespace

Json explain_json(const scenarios::SchemaPlace& place) {
  Json json = place.parameter ? parameter_json(*place.parameter) : Json::object();
  if (place.group) json["group"] = group_json(*place.group);
  return json;
}

}  // namespace rackwright::cli
