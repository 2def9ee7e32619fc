#include "scenarios/codec/message_path.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "models/base/invariant.h"
#include "models/base/names.h"
#include "scenarios/codec/message_reader.h"
#include "scenarios/codec/message_writer.h"
#include "scenarios/codec/node_writer.h"
#include "scenarios/codec/path_target.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;
using pb::Message;

enum class Absent { make, stop };

/// A place in a message: a field of it, or one item or entry of that field.
struct Place {
  Message* holder = nullptr;
  const FieldDescriptor* field = nullptr;
  std::optional<int> item;   ///< Of a list.
  Message* entry = nullptr;  ///< Of a map.
};

std::vector<std::string> item_names(const Message& holder, const FieldDescriptor& list, const FieldDescriptor& key) {
  std::vector<std::string> names;
  for (int i = 0; i < holder.GetReflection()->FieldSize(holder, &list); ++i) {
    const Message& item = holder.GetReflection()->GetRepeatedMessage(holder, &list, i);
    names.push_back(is_given(item, key) ? format_scalar(key, get_scalar(item, key)) : std::string());
  }
  return names;
}

std::optional<int> find_item(const Message& holder, const FieldDescriptor& list, const PathStep& step, ValueProblem& problem) {
  const std::string name(list.name());
  const int size = holder.GetReflection()->FieldSize(holder, &list);
  if (step.index) {
    if (*step.index < static_cast<std::size_t>(size)) return static_cast<int>(*step.index);
    problem = {fmt::format("'{}' has no item {}", name, *step.index), fmt::format("it has {}", size)};
    return std::nullopt;
  }
  const FieldDescriptor* key = list.message_type() ? key_field(*list.message_type()) : nullptr;
  if (!key) {
    problem = {fmt::format("items of '{}' have no names", name), "write [0], [1], …"};
    return std::nullopt;
  }
  const std::vector<std::string> names = item_names(holder, list, *key);
  for (int i = 0; i < size; ++i) {
    if (names[static_cast<std::size_t>(i)] == step.key) return i;
  }
  problem = {fmt::format("no item of '{}' is called '{}'", name, step.key), name_hint(step.key, names)};
  return std::nullopt;
}

/// Enters one item or entry; false when it does not exist and is not to be made.
bool enter(Place& place, const PathStep& step, Absent absent, ValueProblem& problem) {
  if (!place.field->is_map()) {
    place.item = find_item(*place.holder, *place.field, step, problem);
    return place.item.has_value();
  }
  place.entry = find_map_entry(*place.holder, *place.field, step.key);
  if (!place.entry && absent == Absent::make) place.entry = &add_map_entry(*place.holder, *place.field, step.key);
  problem = {fmt::format("'{}' has no entry '{}'", std::string(place.field->name()), step.key), ""};
  return place.entry != nullptr;
}

/// The message that stands at a place.
Message& message_at(const Place& place) {
  const pb::Reflection& reflection = *place.holder->GetReflection();
  if (place.entry) return *place.entry->GetReflection()->MutableMessage(place.entry, &map_value_field(*place.field));
  if (place.item) return *reflection.MutableRepeatedMessage(place.holder, place.field, *place.item);
  return *reflection.MutableMessage(place.holder, place.field);
}

/// Follows a path that the schema allows.
std::optional<Place> find_place(Message& root, const Path& path, Absent absent, ValueProblem& problem) {
  Place place;
  Message* group = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (place.field) group = &message_at(place);
    place = {group, group->GetDescriptor()->FindFieldByName(path[i].key), std::nullopt, nullptr};
    invariant(place.field != nullptr, "the path was resolved against the schema");
    if (place.field->is_repeated() && i + 1 < path.size()) {
      if (!enter(place, path[++i], absent, problem)) return std::nullopt;
    }
    const bool given = place.item || place.entry || is_given(*group, *place.field);
    if (!given && absent == Absent::stop) {
      problem = {"is not given", ""};
      return std::nullopt;
    }
  }
  return place;
}

void assign(const Place& place, const Node& value, const SourceText& source, const Path& path, Diagnostics& diagnostics) {
  const FieldDescriptor& field = *place.field;
  if (place.entry) {
    const FieldDescriptor& value_field = map_value_field(field);
    if (value_field.message_type()) {
      Message& target = message_at(place);
      target.Clear();
      read_tree(value, source, target, diagnostics, path);
    } else {
      ValueProblem problem;
      set_scalar(*place.entry, value_field, *parse_scalar(field, value.value, problem));
    }
  } else if (place.item && field.message_type()) {
    Message& target = message_at(place);
    target.Clear();
    read_tree(value, source, target, diagnostics, path);
  } else if (place.item) {
    ValueProblem problem;
    set_item(*place.holder, field, *place.item, *parse_scalar(field, value.value, problem));
  } else {
    read_field_tree(value, source, field, *place.holder, diagnostics, path);
  }
}

}  // namespace

bool set_path(Message& message, std::string_view path_text, std::string_view text, const Location& where,
              Diagnostics& diagnostics) {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return false;
  ValueProblem problem;
  const std::optional<PathTarget> target = resolve_path(*message.GetDescriptor(), *path, problem);
  if (target) {
    const std::optional<Node> value = parse_value(*target, *path, text, where, diagnostics);
    if (!value) return false;
    if (const std::optional<Place> place = find_place(message, *path, Absent::make, problem)) {
      assign(*place, *value, SourceText(where.file, std::string(text)), *path, diagnostics);
      return true;
    }
  }
  diagnostics.error(where, to_string(*path), problem.message, problem.hint);
  return false;
}

std::optional<std::string> get_path(const Message& message, std::string_view path_text) {
  ValueProblem problem;
  const std::optional<Path> path = parse_path(path_text, problem.message);
  if (!path || !resolve_path(*message.GetDescriptor(), *path, problem)) return std::nullopt;
  // With Absent::stop nothing is changed.
  const std::optional<Place> place = find_place(const_cast<Message&>(message), *path, Absent::stop, problem);
  if (!place) return std::nullopt;
  const FieldDescriptor& field = *place->field;
  if ((place->entry || place->item) && holds_messages(field)) return write_flow(message_tree(message_at(*place)), Notation::yaml);
  if (place->entry) return format_scalar(field, get_scalar(*place->entry, map_value_field(field)));
  if (place->item) return format_scalar(field, get_scalar(*place->holder, field, *place->item));
  if (!field.is_repeated() && !field.message_type()) return format_scalar(field, get_scalar(*place->holder, field));
  return write_flow(field_tree(*place->holder, field), Notation::yaml);
}

bool remove_path(Message& message, std::string_view path_text, const Location& where, Diagnostics& diagnostics) {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return false;
  ValueProblem problem;
  const std::optional<Place> place = resolve_path(*message.GetDescriptor(), *path, problem)
                                         ? find_place(message, *path, Absent::stop, problem)
                                         : std::nullopt;
  if (!place) {
    diagnostics.error(where, to_string(*path), problem.message, problem.hint);
    return false;
  }
  if (place->entry) {
    remove_map_entry(*place->holder, *place->field, path->back().key);
  } else if (place->item) {
    remove_item(*place->holder, *place->field, *place->item);
  } else {
    place->holder->GetReflection()->ClearField(place->holder, place->field);
  }
  return true;
}

}  // namespace rackwright::scenarios
