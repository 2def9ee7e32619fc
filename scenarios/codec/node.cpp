#include "scenarios/codec/node.h"

#include <algorithm>
#include <utility>

namespace rackwright::scenarios {

bool Node::is_missing() const { return is_scalar() && style == Style::plain && value.empty(); }

bool Node::is_null() const {
  if (!is_scalar() || style != Style::plain) return false;
  return value == "null" || value == "~" || value == "Null" || value == "NULL";
}

const NodeEntry* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, [](const NodeEntry& entry) { return std::string_view(entry.key.value); });
  return found == entries.end() ? nullptr : &*found;
}

Node scalar_node(std::string value, Node::Style style) {
  Node node;
  node.style = style;
  node.value = std::move(value);
  return node;
}

Node list_node(std::vector<Node> items, Node::Style style) {
  Node node;
  node.kind = Node::Kind::list;
  node.style = style;
  node.items = std::move(items);
  return node;
}

Node map_node(std::vector<NodeEntry> entries, Node::Style style) {
  Node node;
  node.kind = Node::Kind::map;
  node.style = style;
  node.entries = std::move(entries);
  return node;
}

}  // namespace rackwright::scenarios
