#pragma once

#include <QString>
#include <optional>
#include <string>
#include <string_view>

#include "gui/document/scenario_snapshot.h"

namespace rackwright::gui {

/// A text that grows out of a snapshot by edits of paths, for a command of one or several of them.
/// After an edit that did not fit, the draft is left as it was and `problem` says why.
class ScenarioDraft {
 public:
  /// The snapshot must be well formed.
  explicit ScenarioDraft(SharedSnapshot from);

  bool set(std::string_view path, std::string_view text);
  bool remove(std::string_view path);
  bool insertItem(std::string_view path, std::size_t index, std::string_view text);
  bool duplicateItem(std::string_view path, std::string_view name);
  bool moveItem(std::string_view path, std::size_t to);
  bool renameKey(std::string_view path, std::string_view name);
  /// Whether the path is given.
  bool isGiven(std::string_view path) const;

  const std::string& text() const { return text_; }
  const QString& problem() const { return problem_; }

 private:
  const scenarios::EditableText& editable() const;
  template <class Edit>
  bool take(Edit edit);

  SharedSnapshot from_;
  std::optional<scenarios::EditableText> edited_;  ///< Once it differs from the snapshot.
  std::string text_;
  QString problem_;
};

}  // namespace rackwright::gui
