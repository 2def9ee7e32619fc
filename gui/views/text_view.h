#pragma once

#include <QPlainTextEdit>
#include <map>

#include "gui/document/check_service.h"
#include "gui/document/document_change.h"

namespace rackwright::gui {

class ScenarioEditor;
class YamlHighlighter;

/// The document's text. Typing makes commands of the one undo stack; edits from elsewhere change only what they touch,
/// so that cursor and scrolling stay.
class TextView final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit TextView(ScenarioEditor& editor, QWidget* parent = nullptr);
  ~TextView() override;

  /// Lines and columns count from 1; a column of 0 means the line.
  void goTo(int line, int column);
  /// Marks the places of findings; null for none.
  void setChecked(const SharedCheckResult& result);

 Q_SIGNALS:
  /// The cursor went to another value.
  void pathChanged(const std::string& path);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Gutter;

  void indent();
  void outdent();
  void breakLine();
  void follow(const DocumentChange& change);
  void take();
  void tellPath();
  void markLines();
  int gutterWidth() const;
  void placeGutter();
  void paintGutter(QPaintEvent* event);

  ScenarioEditor& editor_;
  YamlHighlighter* highlighter_;
  Gutter* gutter_;
  std::map<int, Severity> marks_;  ///< The worst finding of a line, counted from 0.
  std::string path_;
  bool following_ = false;
};

}  // namespace rackwright::gui
