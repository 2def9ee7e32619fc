#pragma once

#include <QLockFile>
#include <QString>
#include <memory>
#include <string>
#include <vector>

namespace rackwright::gui {

/// What a session that ended badly left behind.
struct RecoveredText {
  QString entry;  ///< Its name in the store.
  QString file;   ///< Empty for a document without one.
  QString title;
  std::string text;
};

/// A folder with the unsaved text of every running editor, one entry each. A lock beside an entry tells
/// whether its editor still runs.
class RecoveryStore {
 public:
  explicit RecoveryStore(QString folder);
  ~RecoveryStore();

  /// Replaces the entry of this editor. Also from another thread, one call at a time.
  /// Returns an empty text, or why it could not be written.
  [[nodiscard]] QString write(const QString& file, const QString& title, const std::string& text) const;
  /// Removes the entry of this editor.
  void clear() const;

  /// Entries whose editor is gone.
  std::vector<RecoveredText> leftovers() const;
  void discard(const QString& entry) const;

 private:
  QString path(const QString& entry, const char* ending) const;

  QString folder_;
  QString own_;
  std::unique_ptr<QLockFile> lock_;
};

}  // namespace rackwright::gui
