#include "gui/commands/edit_command.h"

#include "gui/document/scenario_document.h"
#include "gui/document/text_difference.h"

namespace rackwright::gui {

EditCommand::EditCommand(ScenarioDocument& document, DocumentChange change, const QString& text, std::string mergeKey)
    : QUndoCommand(text),
      document_(document),
      change_(std::move(change)),
      removed_(document.current()->text().substr(change_.edit->offset, change_.edit->length)),
      mergeKey_(std::move(mergeKey)) {}

scenarios::TextEdit EditCommand::inverse() const {
  return {change_.edit->offset, change_.edit->replacement.size(), removed_};
}

void EditCommand::redo() { document_.apply(change_.kind, change_.path, *change_.edit); }
void EditCommand::undo() { document_.apply(change_.kind, change_.path, inverse()); }

bool EditCommand::isTakenBackBy(const EditCommand& later) const {
  return later.change_.edit->offset == change_.edit->offset && later.removed_ == change_.edit->replacement && later.change_.edit->replacement == removed_;
}

bool EditCommand::mergeWith(const QUndoCommand* other) {
  const auto& later = static_cast<const EditCommand&>(*other);  // Only commands of this class have its id.
  if (isTakenBackBy(later)) {
    setObsolete(true);
    return true;
  }
  if (mergeKey_.empty() || later.mergeKey_ != mergeKey_) return false;
  // The stack has done the later command already: going back over both gives the text before them.
  const std::string& after = document_.current()->text();
  const std::string between = scenarios::apply_edits(after, {later.inverse()});
  const std::string before = scenarios::apply_edits(between, {inverse()});
  const auto both = difference(before, after);
  setText(later.text());
  if (!both) {
    setObsolete(true);
    return true;
  }
  change_.edit = both;
  removed_ = before.substr(both->offset, both->length);
  return true;
}

}  // namespace rackwright::gui
