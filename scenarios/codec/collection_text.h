#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/codec/node.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/codec/text_edit.h"
#include "scenarios/codec/yaml_reader.h"

namespace rackwright::scenarios {

/// Where a value stands: behind which "key:" or "-", and how.
struct Slot {
  const Node* node = nullptr;
  std::size_t marker_end = 0;  ///< Just behind the ':' or '-', for values in block style.
  std::size_t indent = 0;      ///< Of a block collection in this place.
  bool in_flow = false;
};

/// The text of one list or mapping, or of one value, and how to change it without touching the rest:
/// comments, blank lines and the order and layout of everything else stay as they are.
class CollectionText {
 public:
  CollectionText(const SourceText& source, Notation notation) : source_(source), notation_(notation) {}

  /// Puts another value into a slot. What stood inside the old one, comments too, goes with it; a comment
  /// behind "key:" stays.
  TextEdits replace(const Slot& slot, const Node& value) const;

  /// Puts a new entry or item before the one at `index`, or at the end.
  TextEdits insert_entry(const Node& map, std::size_t index, const std::string& key, const Node& value) const;
  TextEdits insert_item(const Node& list, std::size_t index, const Node& value) const;

  /// Takes out one entry or item, with the comment behind it on its line. The last one leaves {} or [].
  TextEdits remove(const Slot& collection, std::size_t index) const;

  /// Brings the item at `from` to `to`. Comment lines directly above an item go with it.
  TextEdits move_item(const Node& list, std::size_t from, std::size_t to) const;

  /// Puts a copy of an item behind it; with `key`, an edit inside the item that the copy takes along.
  TextEdits duplicate_item(const Node& list, std::size_t index, const TextEdits& inside) const;

  /// The slots of a collection's values.
  Slot entry_slot(const Node& map, std::size_t index) const;
  Slot item_slot(const Node& list, std::size_t index) const;

  std::string key_text(const std::string& key, bool in_flow) const;

 private:
  /// An entry or item with its "key:" or "-": [begin, end).
  struct Child {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::vector<Child> children_of(const Node& collection) const;
  std::size_t column(std::size_t offset) const;
  bool begins_line(std::size_t offset) const;
  std::size_t skip_blanks(std::size_t offset) const;
  /// Also over line breaks and comments.
  std::size_t next_token(std::size_t offset) const;
  std::size_t comments_above(std::size_t dash, std::size_t limit) const;

  TextEdits insert_flow(const Node& collection, std::size_t index, const std::string& text) const;
  TextEdits insert_block(const Node& collection, std::size_t index, const std::string& text) const;
  TextEdits remove_flow(const std::vector<Child>& children, std::size_t index) const;
  TextEdits remove_block(const std::vector<Child>& children, std::size_t index) const;

  const SourceText& source_;
  Notation notation_;
};

}  // namespace rackwright::scenarios
