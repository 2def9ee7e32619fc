#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/codec/collection_text.h"
#include "scenarios/codec/node.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/codec/text_edit.h"
#include "scenarios/codec/yaml_reader.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// One version of a YAML or JSON file, and the edits that change a value in it by its path. Edits replace
/// text at known places only, so that comments, order and layout of everything else stay. The text does
/// not have to be free of findings, only well formed.
///
/// Every edit returns nothing, with errors that name `where`, when the path or the value does not fit.
/// Apply what it returns with apply_edits and read the result anew; undo is inverse_edits.
class EditableText {
 public:
  /// Nothing, with errors, when the text is not well formed. `root` is the message that the file holds.
  static std::optional<EditableText> read(SourceText source, Notation notation, const pb::Descriptor& root,
                                          Diagnostics& diagnostics);

  const SourceText& source() const { return source_; }
  const Node& tree() const { return tree_; }

  using Result = std::optional<TextEdits>;

  /// As set_path does to the message. Absent groups are made in block or flow style like their surroundings;
  /// new keys stand in the order of the schema.
  Result set(std::string_view path, std::string_view text, const Location& where, Diagnostics& diagnostics) const;

  /// As remove_path does to the message.
  Result remove(std::string_view path, const Location& where, Diagnostics& diagnostics) const;

  /// Puts an item into the list at `path`, before the item at `index` or at the end.
  Result insert_item(std::string_view path, std::size_t index, std::string_view text, const Location& where,
                     Diagnostics& diagnostics) const;

  /// Puts a copy behind the item at `path`; `name` replaces the value of its key field, if it has one.
  Result duplicate_item(std::string_view path, std::string_view name, const Location& where, Diagnostics& diagnostics) const;

  /// Brings the item at `path` to the index `to` of its list.
  Result move_item(std::string_view path, std::size_t to, const Location& where, Diagnostics& diagnostics) const;

  /// Gives the map entry at `path` another key.
  Result rename_key(std::string_view path, std::string_view name, const Location& where, Diagnostics& diagnostics) const;

 private:
  /// A value of the tree and what the schema says about it.
  struct Cursor {
    Slot slot;
    const pb::FieldDescriptor* field = nullptr;  ///< Null at the root.
    const pb::Descriptor* group = nullptr;       ///< Set where the value stands for a message.
    bool many = false;                           ///< The value stands for a whole list or map.
  };
  /// The values along a path as far as they exist; the first one is the root.
  using Trail = std::vector<Cursor>;

  EditableText(SourceText source, Notation notation, const pb::Descriptor& root, Node tree);

  CollectionText layout() const { return CollectionText(source_, notation_); }
  Trail follow(const Path& path) const;
  std::optional<Cursor> step(const Cursor& at, const PathStep& step) const;
  std::optional<Trail> follow_to_end(const Path& path, const Location& where, Diagnostics& diagnostics) const;
  std::optional<std::size_t> entry_or_item(const Trail& trail, const Path& path) const;

  Result put(const Path& path, const Node& value, const Location& where, Diagnostics& diagnostics) const;
  Result create(const Cursor& at, const Path& path, std::size_t first, Node value, const Location& where,
                Diagnostics& diagnostics) const;
  /// The item's list and index, when the path leads to an item of a list.
  std::optional<std::pair<Cursor, std::size_t>> find_list_item(const Path& path, const Location& where,
                                                               Diagnostics& diagnostics) const;

  SourceText source_;
  Notation notation_;
  const pb::Descriptor* root_;
  Node tree_;
};

}  // namespace rackwright::scenarios
