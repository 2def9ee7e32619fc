#include "gui/document/scenario_document.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QUndoCommand>

#include "gui/document/text_difference.h"
#include "scenarios/codec/codec.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/schema/utf8.h"

namespace rackwright::gui {
namespace {

/// No scenario is as large; a file dropped by mistake may be.
constexpr qint64 largestFile = qint64{64} << 20;

/// Revert as one step of the stack.
class RevertCommand final : public QUndoCommand {
 public:
  RevertCommand(ScenarioDocument& document, scenarios::TextEdit edit, const QString& title)
      : QUndoCommand(ScenarioDocument::tr("Revert %1").arg(title)),
        document_(document),
        forth_(std::move(edit)),
        back_{forth_.offset, forth_.replacement.size(), document.current()->text().substr(forth_.offset, forth_.length)} {}

  void redo() override { document_.apply(DocumentChange::Kind::text, {}, forth_); }
  void undo() override { document_.apply(DocumentChange::Kind::text, {}, back_); }

 private:
  ScenarioDocument& document_;
  scenarios::TextEdit forth_;
  scenarios::TextEdit back_;
};

}  // namespace

QString readBytes(const QString& file, std::string& bytes) {
  QFile source(file);
  if (!source.open(QIODevice::ReadOnly)) return ScenarioDocument::tr("%1 cannot be opened: %2").arg(file, source.errorString());
  if (source.size() > largestFile) return ScenarioDocument::tr("%1 is too large for a scenario").arg(file);
  bytes = source.readAll().toStdString();
  if (source.error() != QFile::NoError) return ScenarioDocument::tr("%1 cannot be read: %2").arg(file, source.errorString());
  return {};
}

ScenarioDocument::ScenarioDocument(QObject* parent) : QObject(parent) {}
ScenarioDocument::~ScenarioDocument() = default;

QString ScenarioDocument::open(const QString& file) {
  std::string bytes;
  if (QString problem = readBytes(file, bytes); !problem.isEmpty()) return problem;
  const QString absolute = QFileInfo(file).absoluteFilePath();
  const std::string name = absolute.toStdString();
  const scenarios::Format format = scenarios::format_of(name).value_or(scenarios::Format::yaml);
  if (format == scenarios::Format::textproto || format == scenarios::Format::binary) {
    v1::Scenario message;
    Diagnostics findings;
    scenarios::read_message(name, std::move(bytes), format, message, findings);
    if (findings.has_errors()) return QString::fromStdString(to_string(findings.all().front()));
    openText(QFileInfo(file).completeBaseName() + QStringLiteral(".yaml"), scenarios::write_message(message, scenarios::Format::yaml));
    return {};
  }
  if (!scenarios::is_utf8(bytes)) return tr("%1 is not UTF-8 text").arg(file);
  std::string saved = bytes;
  load(absolute, {}, std::move(bytes), std::move(saved));
  return {};
}

void ScenarioDocument::openText(const QString& title, std::string text) {
  std::string saved = text;
  load({}, title, std::move(text), std::move(saved));
}

void ScenarioDocument::recover(const QString& file, const QString& title, std::string text) {
  std::string saved;
  if (!file.isEmpty() && !readBytes(file, saved).isEmpty()) saved.clear();
  load(file, title, std::move(text), std::move(saved));
}

void ScenarioDocument::close() {
  file_.clear();
  title_.clear();
  savedText_.clear();
  current_.reset();
  readable_.reset();
  undo_.clear();
  Q_EMIT changed({DocumentChange::Kind::loaded, {}});
  tellModified();
  Q_EMIT identityChanged();
}

void ScenarioDocument::load(const QString& file, const QString& title, std::string text, std::string savedText) {
  file_ = file;
  title_ = title;
  savedText_ = std::move(savedText);
  readable_.reset();
  undo_.clear();
  setText(std::move(text));
  Q_EMIT changed({DocumentChange::Kind::loaded, {}});
  tellModified();
  Q_EMIT identityChanged();
}

void ScenarioDocument::setText(std::string text) {
  const std::string name = hasFile() ? file_.toStdString() : title_.toStdString();
  current_ = std::make_shared<const ScenarioSnapshot>(name, std::move(text));
  if (current_->isWellFormed()) readable_ = current_;
}

void ScenarioDocument::apply(DocumentChange::Kind kind, const std::string& path, const scenarios::TextEdit& edit) {
  setText(scenarios::apply_edits(current_->text(), {edit}));
  Q_EMIT changed({kind, path, edit});
  tellModified();
}

QString ScenarioDocument::save() { return saveAs(file_); }

QString ScenarioDocument::saveAs(const QString& file) {
  const QString absolute = QFileInfo(file).absoluteFilePath();
  QSaveFile target(absolute);
  target.setDirectWriteFallback(true);  // A folder without the right to create files can still hold a file that may be written.
  if (!target.open(QIODevice::WriteOnly)) return tr("%1 cannot be written: %2").arg(file, target.errorString());
  const std::string& text = current_->text();
  target.write(text.data(), static_cast<qint64>(text.size()));
  if (!target.commit()) return tr("%1 cannot be written: %2").arg(file, target.errorString());
  savedText_ = text;
  undo_.setClean();
  if (absolute != file_) {
    file_ = absolute;
    setText(current_->text());  // Findings name the new file, and other files are sought beside it.
    Q_EMIT changed({DocumentChange::Kind::text, {}});
    Q_EMIT identityChanged();
  }
  tellModified();
  return {};
}

QString ScenarioDocument::revert() {
  std::string bytes = savedText_;
  if (hasFile()) {
    if (QString problem = readBytes(file_, bytes); !problem.isEmpty()) return problem;
    if (!scenarios::is_utf8(bytes)) return tr("%1 is not UTF-8 text").arg(file_);
  }
  savedText_ = bytes;
  if (auto edit = difference(current_->text(), bytes)) undo_.push(new RevertCommand(*this, std::move(*edit), title()));
  tellModified();
  return {};
}

bool ScenarioDocument::isModified() const { return isOpen() && current_->text() != savedText_; }

QString ScenarioDocument::title() const { return hasFile() ? QFileInfo(file_).fileName() : title_; }

void ScenarioDocument::tellModified() {
  if (isModified() == toldModified_) return;
  toldModified_ = isModified();
  Q_EMIT modifiedChanged(toldModified_);
}

}  // namespace rackwright::gui
