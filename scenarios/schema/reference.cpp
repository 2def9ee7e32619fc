#include "scenarios/schema/reference.h"

#include <fmt/format.h>

#include <cctype>

namespace rackwright::scenarios {
namespace {

/// A table cell: pipes would end it.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code(std::string_view text) { return text.empty() ? std::string() : "`" + cell(text) + "`"; }

/// The anchor that Markdown renderers give the heading of a group.
std::string link_to(const std::string& group) {
  std::string anchor = group;
  for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fmt::format("[{}](#{})", group, anchor);
}

std::string type_cell(const ParameterInfo& parameter) {
  if (parameter.type != ParameterType::group) return cell(type_text(parameter));
  const std::string link = link_to(parameter.group);
  switch (parameter.multiplicity) {
    case Multiplicity::list: return "list of " + link;
    case Multiplicity::map: return "mapping of names to " + link;
    case Multiplicity::one: break;
  }
  return link;
}

std::string default_cell(const ParameterInfo& parameter) {
  if (parameter.required) return "required";
  if (parameter.default_text.empty()) return {};
  return parameter.source.empty() ? code(parameter.default_text)
                                  : fmt::format("{}: {}", code(parameter.default_text), cell(parameter.source));
}

std::string help_cell(const ParameterInfo& parameter) {
  std::string text = cell(parameter.help);
  if (!parameter.example.empty()) text += fmt::format(", as in {}", code(parameter.example));
  for (const std::string& condition : parameter.applies_when) text += fmt::format(". Applies when {}", code(condition));
  if (!parameter.since.empty()) text += fmt::format(". Since {}", cell(parameter.since));
  return text;
}

std::string choices_table(const ParameterInfo& parameter) {
  std::string text = fmt::format("\nValues of `{}`:\n\n", parameter.name);
  for (const ChoiceInfo& choice : parameter.choices) text += fmt::format("- `{}`: {}\n", choice.name, choice.help);
  return text;
}

std::string group_section(const GroupInfo& group) {
  std::string text = fmt::format("\n## {}\n\n{}.\n", group.name, group.help);
  if (!group.shorthand.empty()) text += fmt::format("A bare value fills `{}`.\n", group.shorthand);
  if (!group.key.empty()) text += fmt::format("In paths an item of a list is addressed by its `{}`.\n", group.key);
  if (!group.catalog.empty()) text += fmt::format("The catalog has these under the kind `{}`.\n", group.catalog);
  if (group.parameters.empty()) return text;
  text += "\n| parameter | meaning | type | range | default |\n|---|---|---|---|---|\n";
  for (const ParameterInfo& parameter : group.parameters) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", parameter.name, help_cell(parameter), type_cell(parameter),
                        cell(parameter.range), default_cell(parameter));
  }
  for (const ParameterInfo& parameter : group.parameters) {
    if (!parameter.choices.empty()) text += choices_table(parameter);
  }
  return text;
}

}  // namespace

std::string reference_markdown(const SchemaDescription& schema) {
  const std::string& document = schema.root().document;
  std::string text = fmt::format("# Reference: {}\n\nGenerated from the schema; do not edit.\n",
                                 document.empty() ? schema.root().name : "`schema: " + document + "`");
  for (const GroupInfo& group : schema.groups) text += group_section(group);
  return text;
}

}  // namespace rackwright::scenarios
