#include "scenarios/codec/path_target.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>

#include "models/base/invariant.h"
#include "models/base/names.h"
#include "scenarios/codec/message_reader.h"
#include "scenarios/codec/message_writer.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/codec/yaml_reader.h"
#include "scenarios/schema/options.h"

namespace rackwright::scenarios {

using pb::FieldDescriptor;

namespace {

/// Blanks around a value belong to a text only.
std::string_view as_written(const FieldDescriptor& field, std::string_view text) {
  const FieldDescriptor& leaf = field.is_map() ? map_value_field(field) : field;
  const auto first = text.find_first_not_of(" \t");
  if (leaf.cpp_type() == FieldDescriptor::CPPTYPE_STRING || first == std::string_view::npos) return text;
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

bool PathTarget::is_scalar() const { return !holds_messages(*field) && (inside || !field->is_repeated()); }

ValueProblem unknown_field(const pb::Descriptor& type, const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.emplace_back(type.field(i)->name());
  return {fmt::format("there is no parameter '{}'", name), name_hint(name, names)};
}

std::optional<PathTarget> resolve_path(const pb::Descriptor& type, const Path& path, ValueProblem& problem) {
  if (path.empty()) {
    problem = {"a path is expected", "such as name or deployment[0].on"};
    return std::nullopt;
  }
  const pb::Descriptor* group = &type;
  PathTarget target;
  for (const PathStep& step : path) {
    const bool into_many = target.field && target.field->is_repeated() && !target.inside;
    if (into_many) {
      if (target.field->is_map() && step.index) {
        problem = {fmt::format("'{}' is a mapping of names, not a list", std::string(target.field->name())), ""};
        return std::nullopt;
      }
      target.inside = true;
      group = held_type(*target.field);
      continue;
    }
    if (!group) {
      problem = {fmt::format("'{}' is a single value and has no '{}'", std::string(target.field->name()), to_string({step})), ""};
      return std::nullopt;
    }
    if (step.index) {
      problem = {fmt::format("'{}' is not a list", std::string(target.field->name())), ""};
      return std::nullopt;
    }
    const FieldDescriptor* field = group->FindFieldByName(step.key);
    if (!field) {
      problem = unknown_field(*group, step.key);
      return std::nullopt;
    }
    target = {field, false};
    group = field->is_repeated() ? nullptr : field->message_type();
  }
  return target;
}

std::optional<Node> parse_value(const PathTarget& target, const Path& path, std::string_view text, const Location& where,
                                Diagnostics& diagnostics) {
  const FieldDescriptor& field = *target.field;
  if (target.is_scalar()) {
    ValueProblem problem;
    if (parse_scalar(field, text, problem)) return scalar_tree(field, std::string(as_written(field, text)));
    diagnostics.error(where, to_string(path), problem.message, problem.hint);
    return std::nullopt;
  }
  const SourceText source(where.file, std::string(text));
  const int errors_before = diagnostics.error_count();
  std::optional<Node> tree = read_yaml(source, diagnostics);
  if (!tree) return std::nullopt;
  const pb::Message* prototype = pb::MessageFactory::generated_factory()->GetPrototype(field.containing_type());
  invariant(prototype != nullptr, "the schema is compiled in");
  const std::unique_ptr<pb::Message> scratch(prototype->New());
  const Node* whole = &*tree;
  Node wrapped;
  Path at = path;
  if (target.inside) {
    wrapped = field.is_map() ? map_node({{scalar_node(path.back().key), *tree}}, Node::Style::flow)
                             : list_node({*tree}, Node::Style::flow);
    whole = &wrapped;
    at.pop_back();
  }
  read_field_tree(*whole, source, field, *scratch, diagnostics, at);
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  return tree;
}

std::optional<Path> parse_path(std::string_view text, const Location& where, Diagnostics& diagnostics) {
  std::string problem;
  std::optional<Path> path = parse_path(text, problem);
  if (!path) diagnostics.error(where, "", fmt::format("'{}' is not a path: {}", text, problem));
  return path;
}

}  // namespace rackwright::scenarios
