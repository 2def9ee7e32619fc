#pragma once

#include <QElapsedTimer>
#include <QString>
#include <functional>
#include <string>

#include "gui/document/document_change.h"

namespace rackwright::gui {

class ScenarioDocument;
class ScenarioDraft;

/// Whether an edit of the same value continues the one before it: a slider that is dragged is one command.
enum class Merging { separate, continuing };

/// Makes the commands that change a document. Every function returns an empty text, or why the document
/// was left as it is. A path may address list items by index or by key. The document must be open.
class ScenarioEditor {
 public:
  explicit ScenarioEditor(ScenarioDocument& document) : document_(document) {}

  /// As `--set` does: scalars as written, groups and lists in flow style.
  [[nodiscard]] QString set(const std::string& path, const std::string& text, Merging merging = Merging::separate);
  /// Takes a given value, group, item or entry out.
  [[nodiscard]] QString unset(const std::string& path);
  /// Adds a list item at the end, or a map entry, with what it must have filled in.
  /// `added` becomes its path.
  [[nodiscard]] QString add(const std::string& path, std::string& added);
  [[nodiscard]] QString duplicate(const std::string& path, std::string& added);
  [[nodiscard]] QString move(const std::string& path, std::size_t to);
  [[nodiscard]] QString rename(const std::string& path, const std::string& key);
  /// Several edits as one command.
  [[nodiscard]] QString compose(const QString& label, const std::function<bool(ScenarioDraft&)>& edits);

  /// Somebody typed in the text itself: the whole text after it. Quick keystrokes side by side are one command.
  void type(const std::string& text);

  ScenarioDocument& document() { return document_; }

 private:
  QString edit(DocumentChange::Kind kind, const std::string& path, const QString& label, const std::string& mergeKey,
               const std::function<bool(ScenarioDraft&)>& edits);

  ScenarioDocument& document_;
  QElapsedTimer lastTyped_;
  std::size_t typedUpTo_ = 0;  ///< Where the last keystroke ended.
  int typingRun_ = 0;          ///< Counts runs of typing: keystrokes of one run merge.
};

/// The path as people read it: items by their names, "deployment.chat.scheduler.policy".
QString readablePath(const ScenarioDocument& document, const std::string& path);

}  // namespace rackwright::gui
