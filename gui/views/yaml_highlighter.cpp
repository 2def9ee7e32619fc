#include "gui/views/yaml_highlighter.h"

#include <QPalette>

#include "gui/views/theme.h"

namespace rackwright::gui {
namespace {

bool endsPlain(QChar c) { return c == QLatin1Char(',') || c == QLatin1Char(']') || c == QLatin1Char('}') || c == QLatin1Char('[') || c == QLatin1Char('{'); }

}  // namespace

YamlHighlighter::YamlHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

void YamlHighlighter::setPalette(const QPalette& palette) {
  const ThemeColors colors = themeColors(palette);
  if (key_.foreground().color() == colors.syntaxKey) return;
  key_.setForeground(colors.syntaxKey);
  string_.setForeground(colors.syntaxString);
  number_.setForeground(colors.syntaxNumber);
  comment_.setForeground(colors.subtle);
  comment_.setFontItalic(true);
  rehighlight();
}

// By hand instead of by regular expressions: a document of ten thousand lines is coloured in one go.
void YamlHighlighter::highlightBlock(const QString& text) {
  int at = 0;
  const int size = static_cast<int>(text.size());
  while (at < size) {
    const QChar c = text[at];
    if (c.isSpace() || endsPlain(c) || c == QLatin1Char(':')) {
      ++at;
      continue;
    }
    if (c == QLatin1Char('#') && (at == 0 || text[at - 1].isSpace())) {
      setFormat(at, size - at, comment_);
      return;
    }
    const int begin = at;
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
      ++at;
      while (at < size && text[at] != c) at += text[at] == QLatin1Char('\\') && c == QLatin1Char('"') ? 2 : 1;
      at = std::min(at + 1, size);
      const bool isKey = at < size && text[at] == QLatin1Char(':');
      setFormat(begin, at - begin, isKey ? key_ : string_);
      continue;
    }
    while (at < size && !endsPlain(text[at])) {
      if (text[at] == QLatin1Char(':') && (at + 1 == size || text[at + 1].isSpace())) break;
      if (text[at] == QLatin1Char('#') && text[at - 1].isSpace()) break;
      ++at;
    }
    if (at < size && text[at] == QLatin1Char(':')) {
      int keyBegin = begin;
      while (keyBegin < at && (text[keyBegin] == QLatin1Char('-') || text[keyBegin].isSpace())) ++keyBegin;
      setFormat(keyBegin, at - keyBegin, key_);
    } else {
      int first = begin;
      if (text[first] == QLatin1Char('-') && first + 1 < size && text[first + 1].isSpace()) first += 2;
      if (first < at && (text[first].isDigit() || (text[first] == QLatin1Char('-') && first + 1 < at && text[first + 1].isDigit()))) setFormat(first, at - first, number_);
    }
  }
}

}  // namespace rackwright::gui
