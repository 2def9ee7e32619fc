#pragma once

#include <QSyntaxHighlighter>

namespace rackwright::gui {

/// Colours keys, texts, numbers with their units, and comments of YAML and JSON, a line at a time.
class YamlHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit YamlHighlighter(QTextDocument* document);

  /// The palette has changed.
  void setPalette(const QPalette& palette);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  QTextCharFormat key_;
  QTextCharFormat string_;
  QTextCharFormat number_;
  QTextCharFormat comment_;
};

}  // namespace rackwright::gui
