#include "scenarios/codec/editable_text.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <utility>

#include "models/base/invariant.h"
#include "models/base/names.h"
#include "scenarios/codec/node_walk.h"
#include "scenarios/codec/path_target.h"
#include "scenarios/schema/options.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

std::nullopt_t refuse(Diagnostics& diagnostics, const Location& where, const Path& path, const ValueProblem& problem) {
  diagnostics.error(where, to_string(path), problem.message, problem.hint);
  return std::nullopt;
}

/// Where a new key belongs: behind the last key that the schema states before it.
std::size_t place_in_order(const Node& map, const pb::Descriptor& group, const FieldDescriptor& field) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    const FieldDescriptor* other = group.FindFieldByName(map.entries[i].key.value);
    if (!other || other->number() < field.number()) place = i + 1;
  }
  return place;
}

/// A list in which items stand as block mappings takes a new mapping in the same style.
Node styled_like(const Node& list, Node item) {
  const bool block = list.style == Node::Style::block && !list.items.empty() && list.items.back().is_map() &&
                     list.items.back().style == Node::Style::block;
  if (block && item.is_map()) item.style = Node::Style::block;
  return item;
}

/// Items of a list in the way that the path names them, for hints.
std::vector<std::string> item_names(const Node& list, const FieldDescriptor& field) {
  std::vector<std::string> names;
  const FieldDescriptor* key = field.message_type() ? key_field(*field.message_type()) : nullptr;
  for (const Node& item : list.items) {
    const NodeEntry* entry = key ? item.find(std::string(key->name())) : nullptr;
    if (entry) names.push_back(entry->value.value);
  }
  return names;
}

ValueProblem no_such_item(const Node& list, const FieldDescriptor& field, const PathStep& step) {
  const std::string name(field.name());
  if (step.index) return {fmt::format("'{}' has no item {}", name, *step.index), fmt::format("it has {}", list.items.size())};
  return {fmt::format("no item of '{}' is called '{}'", name, step.key), name_hint(step.key, item_names(list, field))};
}

}  // namespace

EditableText::EditableText(SourceText source, Notation notation, const pb::Descriptor& root, Node tree)
    : source_(std::move(source)), notation_(notation), root_(&root), tree_(std::move(tree)) {}

std::optional<EditableText> EditableText::read(SourceText source, Notation notation, const pb::Descriptor& root,
                                               Diagnostics& diagnostics) {
  std::optional<Node> tree = read_yaml(source, diagnostics, notation);
  if (!tree) return std::nullopt;
  return EditableText(std::move(source), notation, root, std::move(*tree));
}

std::optional<EditableText::Cursor> EditableText::step(const Cursor& at, const PathStep& step) const {
  const Node& node = *at.slot.node;
  if (at.many && at.field->is_map()) {
    const NodeEntry* entry = node.find(step.key);
    if (!entry) return std::nullopt;
    return Cursor{layout().entry_slot(node, static_cast<std::size_t>(entry - node.entries.data())), at.field, held_type(*at.field), false};
  }
  if (at.many) {
    const std::optional<std::size_t> item = find_item(node, *at.field, step);
    if (!item) return std::nullopt;
    return Cursor{layout().item_slot(node, *item), at.field, held_type(*at.field), false};
  }
  const FieldDescriptor* field = at.group ? at.group->FindFieldByName(step.key) : nullptr;
  if (!field) return std::nullopt;
  Cursor next{at.slot, field, field->is_repeated() ? nullptr : field->message_type(), field->is_repeated()};
  if (const NodeEntry* entry = node.find(step.key)) {
    next.slot = layout().entry_slot(node, static_cast<std::size_t>(entry - node.entries.data()));
    return next;
  }
  if (is_shorthand(node, *at.group) && shorthand_field(*at.group) == field) return next;
  return std::nullopt;
}

EditableText::Trail EditableText::follow(const Path& path) const {
  Trail trail = {{{&tree_, 0, 0, false}, nullptr, root_, false}};
  for (const PathStep& next : path) {
    std::optional<Cursor> cursor = step(trail.back(), next);
    if (!cursor) break;
    trail.push_back(*cursor);
  }
  return trail;
}

std::optional<EditableText::Trail> EditableText::follow_to_end(const Path& path, const Location& where,
                                                               Diagnostics& diagnostics) const {
  ValueProblem problem;
  if (!resolve_path(*root_, path, problem)) return refuse(diagnostics, where, path, problem);
  Trail trail = follow(path);
  if (trail.size() == path.size() + 1) return trail;
  const Cursor& last = trail.back();
  if (last.many && !last.field->is_map()) {
    return refuse(diagnostics, where, path, no_such_item(*last.slot.node, *last.field, path[trail.size() - 1]));
  }
  return refuse(diagnostics, where, path, {"is not given", ""});
}

EditableText::Result EditableText::set(std::string_view path_text, std::string_view text, const Location& where,
                                       Diagnostics& diagnostics) const {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return std::nullopt;
  ValueProblem problem;
  const std::optional<PathTarget> target = resolve_path(*root_, *path, problem);
  if (!target) return refuse(diagnostics, where, *path, problem);
  const std::optional<Node> value = parse_value(*target, *path, text, where, diagnostics);
  if (!value) return std::nullopt;
  return put(*path, *value, where, diagnostics);
}

EditableText::Result EditableText::put(const Path& path, const Node& value, const Location& where, Diagnostics& diagnostics) const {
  const Trail trail = follow(path);
  if (trail.size() == path.size() + 1) return layout().replace(trail.back().slot, value);
  return create(trail.back(), path, trail.size() - 1, value, where, diagnostics);
}

EditableText::Result EditableText::create(const Cursor& at, const Path& path, std::size_t first, Node value,
                                          const Location& where, Diagnostics& diagnostics) const {
  const Node& node = *at.slot.node;
  // Groups on the way look like what surrounds them.
  const bool flow = at.slot.in_flow || (node.is_map() && node.style == Node::Style::flow);
  for (std::size_t i = path.size() - 1; i > first; --i) {
    const Path head(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i));
    ValueProblem problem;
    const std::optional<PathTarget> holder = resolve_path(*root_, head, problem);
    if (holder->field->is_repeated() && !holder->field->is_map() && !holder->inside) {
      return refuse(diagnostics, where, path, no_such_item(Node{}, *holder->field, path[i]));
    }
    value = map_node({{scalar_node(path[i].key), std::move(value)}}, flow ? Node::Style::flow : Node::Style::block);
  }
  const std::string& key = path[first].key;
  const bool into_map = at.many && at.field->is_map();
  if (at.many && !into_map) return refuse(diagnostics, where, path, no_such_item(node, *at.field, path[first]));
  if (node.is_missing() || node.is_null()) {
    return layout().replace(at.slot, map_node({{scalar_node(key), std::move(value)}}, flow ? Node::Style::flow : Node::Style::block));
  }
  if (node.is_map()) {
    const std::size_t place = into_map ? node.entries.size() : place_in_order(node, *at.group, *at.group->FindFieldByName(key));
    return layout().insert_entry(node, place, key, value);
  }
  if (!into_map && is_shorthand(node, *at.group)) {
    const std::string bare(shorthand_field(*at.group)->name());
    return layout().replace(at.slot, map_node({{scalar_node(bare), node}, {scalar_node(key), std::move(value)}}, Node::Style::flow));
  }
  return refuse(diagnostics, where, path, {"stands in what is not a mapping", ""});
}

std::optional<std::size_t> EditableText::entry_or_item(const Trail& trail, const Path& path) const {
  const Node& holder = *trail[trail.size() - 2].slot.node;
  const Node* node = trail.back().slot.node;
  for (std::size_t i = 0; i < holder.items.size(); ++i) {
    if (&holder.items[i] == node) return i;
  }
  for (std::size_t i = 0; i < holder.entries.size(); ++i) {
    if (holder.entries[i].key.value == path.back().key) return i;
  }
  return std::nullopt;
}

EditableText::Result EditableText::remove(std::string_view path_text, const Location& where, Diagnostics& diagnostics) const {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return std::nullopt;
  const std::optional<Trail> trail = follow_to_end(*path, where, diagnostics);
  if (!trail) return std::nullopt;
  const Slot& holder = (*trail)[trail->size() - 2].slot;
  if (const std::optional<std::size_t> index = entry_or_item(*trail, *path)) return layout().remove(holder, *index);
  // A bare value that stood for its group leaves the group empty.
  return layout().replace(holder, map_node({}, Node::Style::flow));
}

EditableText::Result EditableText::insert_item(std::string_view path_text, std::size_t index, std::string_view text,
                                               const Location& where, Diagnostics& diagnostics) const {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return std::nullopt;
  ValueProblem problem;
  const std::optional<PathTarget> target = resolve_path(*root_, *path, problem);
  if (!target) return refuse(diagnostics, where, *path, problem);
  if (!target->field->is_repeated() || target->field->is_map() || target->inside) {
    return refuse(diagnostics, where, *path, {"is not a list", ""});
  }
  Path item_path = *path;
  item_path.push_back({{}, index});
  const std::optional<Node> item = parse_value({target->field, true}, item_path, text, where, diagnostics);
  if (!item) return std::nullopt;
  const Trail trail = follow(*path);
  const bool exists = trail.size() == path->size() + 1;
  const Node* list = exists ? trail.back().slot.node : nullptr;
  const std::size_t size = !list ? 0 : list->is_list() ? list->items.size() : list->is_missing() || list->is_null() ? 0 : 1;
  if (index > size) return refuse(diagnostics, where, item_path, {fmt::format("the list has {} items", size), ""});
  if (size == 0) {
    const bool block = trail.back().slot.node->style == Node::Style::block && item->is_map();
    return put(*path, list_node({*item}, block ? Node::Style::block : Node::Style::flow), where, diagnostics);
  }
  if (list->is_list()) return layout().insert_item(*list, index, styled_like(*list, *item));
  // A bare value that stands for a list of one.
  std::vector<Node> items = {*list};
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(index), *item);
  return layout().replace(trail.back().slot, list_node(std::move(items), Node::Style::flow));
}

std::optional<std::pair<EditableText::Cursor, std::size_t>> EditableText::find_list_item(const Path& path, const Location& where,
                                                                                         Diagnostics& diagnostics) const {
  const std::optional<Trail> trail = follow_to_end(path, where, diagnostics);
  if (!trail) return std::nullopt;
  const Cursor& holder = (*trail)[trail->size() - 2];
  const std::optional<std::size_t> index = entry_or_item(*trail, path);
  if (!holder.many || holder.field->is_map() || !index) return refuse(diagnostics, where, path, {"is not an item of a list", ""});
  return std::pair(holder, *index);
}

EditableText::Result EditableText::duplicate_item(std::string_view path_text, std::string_view name, const Location& where,
                                                  Diagnostics& diagnostics) const {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return std::nullopt;
  const auto found = find_list_item(*path, where, diagnostics);
  if (!found) return std::nullopt;
  const auto& [holder, index] = *found;
  const Node& list = *holder.slot.node;
  TextEdits renamed;
  const FieldDescriptor* key = holder.field->message_type() ? key_field(*holder.field->message_type()) : nullptr;
  if (key && !name.empty()) {
    Path key_path = *path;
    key_path.push_back({std::string(key->name()), std::nullopt});
    const std::optional<Node> value = parse_value({key, false}, key_path, name, where, diagnostics);
    const std::optional<Trail> trail = value ? follow_to_end(key_path, where, diagnostics) : std::nullopt;
    if (!trail) return std::nullopt;
    renamed = layout().replace(trail->back().slot, *value);
  }
  return layout().duplicate_item(list, index, renamed);
}

EditableText::Result EditableText::move_item(std::string_view path_text, std::size_t to, const Location& where,
                                             Diagnostics& diagnostics) const {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return std::nullopt;
  const auto found = find_list_item(*path, where, diagnostics);
  if (!found) return std::nullopt;
  const auto& [holder, index] = *found;
  const std::size_t size = holder.slot.node->items.size();
  if (to >= size) return refuse(diagnostics, where, *path, {fmt::format("the list has {} items", size), ""});
  return layout().move_item(*holder.slot.node, index, to);
}

EditableText::Result EditableText::rename_key(std::string_view path_text, std::string_view name, const Location& where,
                                              Diagnostics& diagnostics) const {
  const std::optional<Path> path = parse_path(path_text, where, diagnostics);
  if (!path) return std::nullopt;
  const std::optional<Trail> trail = follow_to_end(*path, where, diagnostics);
  if (!trail) return std::nullopt;
  const Cursor& holder = (*trail)[trail->size() - 2];
  if (!holder.many || !holder.field->is_map()) return refuse(diagnostics, where, *path, {"is not an entry of a mapping", ""});
  const Node& map = *holder.slot.node;
  if (name.empty()) return refuse(diagnostics, where, *path, {"a key is empty", ""});
  if (map.find(name)) return refuse(diagnostics, where, *path, {fmt::format("there is already a '{}'", name), ""});
  const Node& key = map.find(path->back().key)->key;
  const bool in_flow = map.style == Node::Style::flow;
  return TextEdits{{key.begin, key.end - key.begin, layout().key_text(std::string(name), in_flow)}};
}

}  // namespace rackwright::scenarios
