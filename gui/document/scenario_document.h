#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <string>

#include "gui/document/document_change.h"
#include "gui/document/scenario_snapshot.h"

namespace rackwright::gui {

/// The scenario that is being edited. Its text is the truth: everything else is read from it.
/// Every change is a command on the one undo stack; gui/commands makes them.
class ScenarioDocument final : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioDocument(QObject* parent = nullptr);
  ~ScenarioDocument() override;

  /// Opens a file. YAML and JSON are edited in place; the textproto and binary forms open as a YAML document
  /// without a file. Returns an empty text, or why it cannot be opened; the document then stays as it was.
  [[nodiscard]] QString open(const QString& file);
  /// A document without a file, such as a template.
  void openText(const QString& title, std::string text);
  /// What an earlier session left: the text of `file`, or of no file, with unsaved changes.
  void recover(const QString& file, const QString& title, std::string text);
  /// No document at all.
  void close();

  /// Requires a file. Returns an empty text, or why it could not be written.
  [[nodiscard]] QString save();
  [[nodiscard]] QString saveAs(const QString& file);
  /// Back to what the file holds now; a command, so that it can be undone.
  [[nodiscard]] QString revert();

  bool isOpen() const { return current_ != nullptr; }
  bool isModified() const;
  bool hasFile() const { return !file_.isEmpty(); }
  const QString& file() const { return file_; }
  /// The file's name without its folder, or the title of a document without a file.
  QString title() const;

  /// Requires `isOpen()`.
  const SharedSnapshot& current() const { return current_; }
  /// The last version that was well formed; the current one unless somebody is typing. Null before the first.
  const SharedSnapshot& readable() const { return readable_; }
  QUndoStack& undoStack() { return undo_; }

  /// For commands only: replaces a part of the text.
  void apply(DocumentChange::Kind kind, const std::string& path, const scenarios::TextEdit& edit);

 Q_SIGNALS:
  void changed(const rackwright::gui::DocumentChange& change);
  void modifiedChanged(bool modified);
  /// The document has another file or title, or there is none any more.
  void identityChanged();

 private:
  void load(const QString& file, const QString& title, std::string text, std::string savedText);
  void setText(std::string text);
  void tellModified();

  QString file_;
  QString title_;
  std::string savedText_;
  SharedSnapshot current_;
  SharedSnapshot readable_;
  bool toldModified_ = false;
  QUndoStack undo_;
};

/// A whole file as bytes. Returns an empty text, or why it cannot be read.
[[nodiscard]] QString readBytes(const QString& file, std::string& bytes);

}  // namespace rackwright::gui
