#pragma once

#include <QUndoCommand>
#include <string>

#include "gui/document/document_change.h"

namespace rackwright::gui {

class ScenarioDocument;

/// One step of the undo stack: a replaced part of the text. A command with a merge key takes in a following one
/// with the same key. Two that together change nothing vanish from the stack, whatever their keys.
class EditCommand final : public QUndoCommand {
 public:
  /// `change.edit` must be set and fit the document's present text. An empty key never merges.
  EditCommand(ScenarioDocument& document, DocumentChange change, const QString& text, std::string mergeKey);

  void redo() override;
  void undo() override;
  int id() const override { return 1; }
  bool mergeWith(const QUndoCommand* other) override;

 private:
  scenarios::TextEdit inverse() const;
  bool isTakenBackBy(const EditCommand& later) const;

  ScenarioDocument& document_;
  DocumentChange change_;
  std::string removed_;  ///< What stood where the edit writes.
  std::string mergeKey_;
};

}  // namespace rackwright::gui
