#include "gui/views/text_view.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QPainter>
#include <QTextBlock>
#include <algorithm>

#include "gui/commands/scenario_editor.h"
#include "gui/document/path_at.h"
#include "gui/document/scenario_document.h"
#include "gui/views/severity_mark.h"
#include "gui/views/text_mapping.h"
#include "gui/views/theme.h"
#include "gui/views/yaml_highlighter.h"

namespace rackwright::gui {
namespace {

/// More marks than this say no more than these.
constexpr std::size_t mostMarks = 300;

constexpr int indentWidth = 2;

}  // namespace

/// Line numbers, and a mark beside lines with findings.
class TextView::Gutter final : public QWidget {
 public:
  explicit Gutter(TextView& view) : QWidget(&view), view_(view) {}
  QSize sizeHint() const override { return {view_.gutterWidth(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override { view_.paintGutter(event); }

 private:
  TextView& view_;
};

TextView::TextView(ScenarioEditor& editor, QWidget* parent)
    : QPlainTextEdit(parent), editor_(editor), highlighter_(new YamlHighlighter(document())), gutter_(new Gutter(*this)) {
  setObjectName(QStringLiteral("text"));
  setAccessibleName(tr("Text of the scenario"));
  setUndoRedoEnabled(false);  // The document has the one undo stack.
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(false);
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(std::max(10.0, QWidget::font().pointSizeF()));
  setFont(font);
  setTabStopDistance(2 * QFontMetricsF(font).horizontalAdvance(QLatin1Char(' ')));
  highlighter_->setPalette(palette());
  connect(&editor_.document(), &ScenarioDocument::changed, this, &TextView::follow);
  connect(document(), &QTextDocument::contentsChange, this, [this](int, int removed, int added) {
    if (!following_ && removed + added > 0) QMetaObject::invokeMethod(this, &TextView::take, Qt::QueuedConnection);
  });
  connect(this, &QPlainTextEdit::cursorPositionChanged, this, &TextView::tellPath);
  connect(this, &QPlainTextEdit::cursorPositionChanged, this, &TextView::markLines);
  connect(this, &QPlainTextEdit::blockCountChanged, this, &TextView::placeGutter);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
    if (dy != 0) gutter_->scroll(0, dy);
    else gutter_->update(0, rect.y(), gutter_->width(), rect.height());
  });
  placeGutter();
  follow({});
}

TextView::~TextView() = default;

bool TextView::event(QEvent* event) {
  // Undo and redo are the window's: the text widget has no stack of its own.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore();
      return true;
    }
  }
  return QPlainTextEdit::event(event);
}

/// YAML is indented by spaces; a tab would be an error. Since Tab stays in the text, Escape leaves it.
void TextView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    QWidget::focusNextPrevChild(true);  // The text's own keeps Tab, and with it the focus.
    return;
  }
  if (isReadOnly()) return QPlainTextEdit::keyPressEvent(event);
  const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  if (event->key() == Qt::Key_Tab && plain) return indent();
  if (event->key() == Qt::Key_Backtab) return outdent();
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && plain) return breakLine();
  QPlainTextEdit::keyPressEvent(event);
}

void TextView::indent() {
  QTextCursor cursor = textCursor();
  cursor.insertText(QString(indentWidth - cursor.positionInBlock() % indentWidth, QLatin1Char(' ')));
}

void TextView::outdent() {
  const QString line = textCursor().block().text();
  QTextCursor cursor(textCursor().block());
  for (int i = 0; i < indentWidth && i < line.size() && line[i] == QLatin1Char(' '); ++i) cursor.deleteChar();
}

/// A new line begins below the one before it.
void TextView::breakLine() {
  QTextCursor cursor = textCursor();
  const QString before = cursor.block().text().left(cursor.positionInBlock());
  qsizetype spaces = 0;
  while (spaces < before.size() && before[spaces] == QLatin1Char(' ')) ++spaces;
  cursor.insertText(QLatin1Char('\n') + before.left(spaces));
  ensureCursorVisible();
}

/// Somebody typed.
void TextView::take() {
  if (!editor_.document().isOpen()) return;
  const std::string& before = editor_.document().current()->text();
  QString shown = document()->toRawText();
  shown.replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
  following_ = true;  // The document's answer is what stands here already.
  editor_.type(bytesAfterTyping(before, shown));
  following_ = false;
  tellPath();
}

void TextView::follow(const DocumentChange& change) {
  if (following_) return;
  following_ = true;
  const ScenarioDocument& scenario = editor_.document();
  setReadOnly(!scenario.isOpen());
  const QString wanted = scenario.isOpen() ? shownText(scenario.current()->text()) : QString();
  if (change.kind == DocumentChange::Kind::loaded || !change.edit) {
    marks_.clear();
    if (change.kind == DocumentChange::Kind::loaded) setPlainText(wanted);
  } else {
    // Only what differs is replaced, however the edit came about.
    QString shown = document()->toRawText();
    shown.replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
    const qsizetype shorter = std::min(shown.size(), wanted.size());
    qsizetype begin = 0;
    while (begin < shorter && shown[begin] == wanted[begin]) ++begin;
    qsizetype end = 0;
    while (end < shorter - begin && shown[shown.size() - 1 - end] == wanted[wanted.size() - 1 - end]) ++end;
    QTextCursor cursor(document());
    cursor.setPosition(static_cast<int>(begin));
    cursor.setPosition(static_cast<int>(shown.size() - end), QTextCursor::KeepAnchor);
    cursor.insertText(wanted.mid(begin, wanted.size() - end - begin));
  }
  following_ = false;
  markLines();
}

void TextView::goTo(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(std::clamp(line - 1, 0, blockCount() - 1));
  QTextCursor cursor(block);
  // Columns count characters; one beyond the basic plane is two units here, which is near enough to look at.
  cursor.setPosition(block.position() + std::clamp(column - 1, 0, block.length() - 1));
  setTextCursor(cursor);
  centerCursor();
}

void TextView::setChecked(const SharedCheckResult& result) {
  marks_.clear();
  if (result) {
    for (const Diagnostic& finding : result->findings) {
      if (finding.where.line <= 0) continue;
      const auto [mark, isNew] = marks_.emplace(finding.where.line - 1, finding.severity);
      if (!isNew) mark->second = std::max(mark->second, finding.severity);
    }
  }
  markLines();
  gutter_->update();
}

void TextView::tellPath() {
  if (following_ || !editor_.document().isOpen() || !editor_.document().current()->isWellFormed()) return;
  const ScenarioSnapshot& scenario = *editor_.document().current();
  std::string path = pathAt(scenario, byteOffset(scenario.text(), textCursor().position()));
  if (path == path_) return;
  path_ = std::move(path);
  Q_EMIT pathChanged(path_);
}

void TextView::markLines() {
  QList<QTextEdit::ExtraSelection> marks;
  QTextEdit::ExtraSelection line;
  QColor band = palette().color(QPalette::WindowText);
  band.setAlphaF(0.045F);
  line.format.setBackground(band);
  line.format.setProperty(QTextFormat::FullWidthSelection, true);
  line.cursor = textCursor();
  line.cursor.clearSelection();
  marks.push_back(line);
  for (const auto& [number, severity] : marks_) {
    if (static_cast<std::size_t>(marks.size()) > mostMarks) break;
    const QTextBlock block = document()->findBlockByNumber(number);
    if (!block.isValid()) continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(block);
    const QString text = block.text();
    qsizetype first = 0;
    while (first < text.size() && text[first].isSpace()) ++first;
    mark.cursor.setPosition(block.position() + static_cast<int>(first));
    mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    mark.format.setUnderlineStyle(severity == Severity::error ? QTextCharFormat::WaveUnderline : QTextCharFormat::DotLine);
    mark.format.setUnderlineColor(severityColor(severity, palette()));
    marks.push_back(mark);
  }
  setExtraSelections(marks);
}

int TextView::gutterWidth() const {
  int digits = 2;
  for (int lines = blockCount(); lines >= 100; lines /= 10) ++digits;
  return 34 + fontMetrics().horizontalAdvance(QLatin1Char('9')) * digits;
}

void TextView::placeGutter() {
  setViewportMargins(gutterWidth(), 0, 0, 0);
  const QRect inside = contentsRect();
  gutter_->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
}

void TextView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  placeGutter();
}

void TextView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    following_ = true;  // Colours are no typing.
    highlighter_->setPalette(palette());
    following_ = false;
    markLines();
  }
  if (event->type() == QEvent::FontChange && gutter_) placeGutter();
}

void TextView::paintGutter(QPaintEvent* event) {
  QPainter painter(gutter_);
  painter.fillRect(event->rect(), palette().color(QPalette::Base));
  painter.setFont(font());
  const QColor subtle = themeColors(palette()).subtle;
  const int currentLine = textCursor().blockNumber();
  QTextBlock block = firstVisibleBlock();
  for (; block.isValid(); block = block.next()) {
    const QRect line = blockBoundingGeometry(block).translated(contentOffset()).toRect();
    if (line.top() > event->rect().bottom()) break;
    if (!block.isVisible() || line.bottom() < event->rect().top()) continue;
    const int number = block.blockNumber();
    painter.setPen(number == currentLine ? palette().color(QPalette::Text) : subtle);
    painter.drawText(QRect(22, line.top(), gutter_->width() - 34, fontMetrics().height()), Qt::AlignRight, QString::number(number + 1));
    const auto mark = marks_.find(number);
    if (mark != marks_.end()) severityIcon(mark->second, palette()).paint(&painter, QRect(5, line.top() + (fontMetrics().height() - 14) / 2, 14, 14));
  }
}

}  // namespace rackwright::gui
