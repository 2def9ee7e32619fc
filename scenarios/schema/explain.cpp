#include "scenarios/schema/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/names.h"
#include "models/base/quantity.h"
#include "scenarios/schema/path.h"

namespace rackwright::scenarios {
namespace {

std::vector<std::string> names_of(const GroupInfo& group) {
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : group.parameters) names.push_back(parameter.name);
  return names;
}

/// Follows the path through the groups. A step that names no parameter of the group inside a list or map
/// is taken for the name of an item, once.
std::optional<SchemaPlace> follow(const SchemaDescription& schema, const Path& path, std::string& problem) {
  SchemaPlace at{&schema.root(), nullptr};
  bool item_may_follow = false;
  std::string item;  // The step that was taken for one, if it was the last.
  for (const PathStep& step : path) {
    const ParameterInfo* next = at.group && !step.index ? at.group->find(step.key) : nullptr;
    if (!next && item_may_follow) {
      item_may_follow = false;
      item = step.key;
      continue;
    }
    if (!next) {
      // A mistyped parameter of an item looks like the item's name.
      const bool mistyped = at.group && !item.empty() && !nearest_name(item, names_of(*at.group)).empty();
      const std::string written = mistyped ? item : step.index ? to_string({step}) : step.key;
      const std::string name = at.parameter ? "'" + at.parameter->name + "'" : "the file";
      problem = at.group ? fmt::format("{} has no parameter '{}' ({})", name, written, name_hint(written, names_of(*at.group)))
                         : fmt::format("{} is a single value and has no '{}'", name, written);
      return std::nullopt;
    }
    item.clear();
    at = {next->group.empty() ? nullptr : schema.find(next->group), next};
    item_may_follow = next->multiplicity != Multiplicity::one;
  }
  return at;
}

std::string unit_symbols(const std::string& unit) {
  std::string symbols;
  for (const Unit* known : units_of(unit)) symbols += (symbols.empty() ? "" : ", ") + std::string(known->symbol);
  return symbols;
}

void add_row(std::string& text, std::string_view label, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<13} {}\n", label, value);
}

std::string parameter_text(const ParameterInfo& parameter, std::string_view path) {
  std::string text = fmt::format("{}: {}\n", path, parameter.help);
  add_row(text, "type", type_text(parameter));
  if (!parameter.unit.empty()) add_row(text, "units", unit_symbols(parameter.unit));
  add_row(text, "range", parameter.range);
  add_row(text, "required", parameter.required ? "yes" : "");
  add_row(text, "default", parameter.default_text);
  add_row(text, "because", parameter.source);
  add_row(text, "example", parameter.example);
  add_row(text, "refers to", parameter.refers_to);
  for (const std::string& condition : parameter.applies_when) add_row(text, "applies when", condition);
  add_row(text, "since", parameter.since);
  for (const ChoiceInfo& choice : parameter.choices) add_row(text, choice.name, choice.help);
  return text;
}

std::string summary_of(const ParameterInfo& parameter) {
  std::string text = parameter.help;
  std::string notes = parameter.type == ParameterType::group && parameter.multiplicity == Multiplicity::one
                          ? std::string()
                          : type_text(parameter);
  if (parameter.required) notes += notes.empty() ? "required" : ", required";
  if (!parameter.default_text.empty()) notes += ", default " + parameter.default_text;
  return notes.empty() ? text : fmt::format("{} [{}]", text, notes);
}

std::string group_text(const GroupInfo& group, std::string_view path) {
  std::string text = "\n";
  if (!group.shorthand.empty()) text += fmt::format("A bare value fills '{}'.\n", group.shorthand);
  if (!group.key.empty()) text += fmt::format("An item is addressed by its '{}'.\n", group.key);
  if (text.size() > 1) text += "\n";
  std::size_t width = 0;
  for (const ParameterInfo& parameter : group.parameters) width = std::max(width, parameter.name.size());
  for (const ParameterInfo& parameter : group.parameters) {
    text += fmt::format("  {:<{}}  {}\n", parameter.name, width, summary_of(parameter));
  }
  return fmt::format("{}\nMore: explain {}NAME\n", text, path.empty() ? "" : fmt::format("{}.", path));
}

}  // namespace

std::optional<SchemaPlace> find_place(const SchemaDescription& schema, std::string_view path, std::string& problem) {
  const std::optional<Path> steps = parse_path(path, problem);
  if (!steps) return std::nullopt;
  return follow(schema, *steps, problem);
}

std::optional<std::string> explain_text(const SchemaDescription& schema, std::string_view path, std::string& problem) {
  const std::optional<SchemaPlace> found = find_place(schema, path, problem);
  if (!found) return std::nullopt;
  std::string text = found->parameter ? parameter_text(*found->parameter, path) : schema.root().help + "\n";
  if (found->group) text += group_text(*found->group, path);
  return text;
}

}  // namespace rackwright::scenarios
