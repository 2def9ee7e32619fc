#include "scenarios/codec/message_writer.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <vector>

#include "scenarios/codec/node_writer.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scalar_value.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

/// What fits on a line that begins somewhat indented reads better there.
constexpr std::size_t longest_flow = 96;

/// Flow style only for what holds scalars, or groups of scalars: deeper nesting reads badly in one line.
std::size_t levels(const Node& node) {
  std::size_t below = 0;
  for (const Node& item : node.items) below = std::max(below, levels(item));
  for (const NodeEntry& entry : node.entries) below = std::max(below, levels(entry.value));
  return node.is_scalar() ? 0 : below + 1;
}

Node styled(Node node) {
  const bool flow = levels(node) <= 2 && write_flow(node, Notation::yaml).size() <= longest_flow;
  node.style = flow ? Node::Style::flow : Node::Style::block;
  return node;
}

std::vector<const FieldDescriptor*> given_fields(const pb::Message& message) {
  std::vector<const FieldDescriptor*> fields;
  const pb::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    if (is_given(message, *type.field(i))) fields.push_back(type.field(i));
  }
  std::ranges::sort(fields, {}, &FieldDescriptor::number);
  return fields;
}

/// A message inside another: bare where only its shorthand is given.
Node inner_tree(const pb::Message& message) {
  const std::vector<const FieldDescriptor*> given = given_fields(message);
  const FieldDescriptor* shorthand = shorthand_field(*message.GetDescriptor());
  if (shorthand && given.size() == 1 && given.front() == shorthand) return field_tree(message, *shorthand);
  return styled(message_tree(message));
}

Node map_tree(const pb::Message& message, const FieldDescriptor& field) {
  std::vector<NodeEntry> entries;
  const FieldDescriptor& value_field = map_value_field(field);
  for (const pb::Message* entry : map_entries(message, field)) {
    Node value = value_field.message_type()
                     ? inner_tree(entry->GetReflection()->GetMessage(*entry, &value_field))
                     : scalar_tree(field, format_scalar(field, get_scalar(*entry, value_field)));
    Node key = scalar_node(map_key(*entry));
    if (looks_typed(key.value)) key.style = Node::Style::double_quoted;
    entries.push_back({std::move(key), std::move(value)});
  }
  return styled(map_node(std::move(entries), Node::Style::block));
}

Node list_tree(const pb::Message& message, const FieldDescriptor& field) {
  std::vector<Node> items;
  const pb::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    items.push_back(field.message_type() ? inner_tree(reflection.GetRepeatedMessage(message, &field, i))
                                         : scalar_tree(field, format_scalar(field, get_scalar(message, field, i))));
  }
  return styled(list_node(std::move(items), Node::Style::block));
}

}  // namespace

Node scalar_tree(const FieldDescriptor& field, std::string written) {
  const FieldDescriptor& leaf = field.is_map() ? map_value_field(field) : field;
  const bool quote = leaf.cpp_type() == FieldDescriptor::CPPTYPE_STRING && looks_typed(written);
  return scalar_node(std::move(written), quote ? Node::Style::double_quoted : Node::Style::plain);
}

Node field_tree(const pb::Message& message, const FieldDescriptor& field) {
  if (field.is_map()) return map_tree(message, field);
  if (field.is_repeated()) return list_tree(message, field);
  if (field.message_type()) return inner_tree(message.GetReflection()->GetMessage(message, &field));
  return scalar_tree(field, format_scalar(field, get_scalar(message, field)));
}

Node message_tree(const pb::Message& message) {
  std::vector<NodeEntry> entries;
  for (const FieldDescriptor* field : given_fields(message)) {
    entries.push_back({scalar_node(std::string(field->name())), field_tree(message, *field)});
  }
  return map_node(std::move(entries), Node::Style::block);
}

}  // namespace rackwright::scenarios
