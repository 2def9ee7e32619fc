#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright::scenarios {

struct NodeEntry;

/// One value of a YAML or JSON document: a scalar, a list or a mapping. What it means is decided by the
/// schema, so that scalars keep their text and `on: no` is the text "no" where a text is expected.
struct Node {
  enum class Kind { scalar, list, map };
  enum class Style { plain, single_quoted, double_quoted, literal, folded, block, flow };

  Kind kind = Kind::scalar;
  Style style = Style::plain;
  std::size_t begin = 0;  ///< Byte offsets in the source: [begin, end). Block collections end with their
  std::size_t end = 0;    ///< last value, before what follows it. Equal for a value that is not written.
  std::string value;      ///< Of a scalar, unescaped.
  std::vector<Node> items;
  std::vector<NodeEntry> entries;

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  /// Nothing is written, as in "key:".
  bool is_missing() const;
  /// An explicit null or ~.
  bool is_null() const;

  const NodeEntry* find(std::string_view key) const;
};

struct NodeEntry {
  Node key;
  Node value;
};

/// Makes nodes that have no place in a source.
Node scalar_node(std::string value, Node::Style style = Node::Style::plain);
Node list_node(std::vector<Node> items, Node::Style style);
Node map_node(std::vector<NodeEntry> entries, Node::Style style);

}  // namespace rackwright::scenarios
