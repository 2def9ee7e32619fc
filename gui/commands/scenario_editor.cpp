#include "gui/commands/scenario_editor.h"

#include <QCoreApplication>

#include "gui/commands/edit_command.h"
#include "gui/commands/item_text.h"
#include "gui/commands/scenario_draft.h"
#include "gui/document/message_at.h"
#include "gui/document/scenario_document.h"
#include "gui/document/text_difference.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

/// Keystrokes further apart than this are steps of their own.
constexpr qint64 typingPause_ms = 1500;

QString tr(const char* text) { return QCoreApplication::translate("ScenarioEditor", text); }

/// A value short enough for the label of a command.
QString shown(const std::string& value) {
  constexpr int longest = 40;
  const QString text = QString::fromStdString(value).simplified();
  return text.size() <= longest ? text : text.left(longest - 1) + QChar(0x2026);
}

}  // namespace

QString ScenarioEditor::edit(DocumentChange::Kind kind, const std::string& path, const QString& label, const std::string& mergeKey,
                             const std::function<bool(ScenarioDraft&)>& edits) {
  const SharedSnapshot before = document_.current();
  if (!before->isWellFormed()) return tr("the text has an error in its form; mend it there first");
  ScenarioDraft draft(before);
  if (!edits(draft)) return draft.problem();
  auto replaced = difference(before->text(), draft.text());
  if (!replaced) return {};
  document_.undoStack().push(new EditCommand(document_, {kind, path, std::move(replaced)}, label, mergeKey));
  return {};
}

QString ScenarioEditor::set(const std::string& path, const std::string& text, Merging merging) {
  const QString label = tr("Set %1 to %2").arg(readablePath(document_, path), shown(text));
  const std::string key = merging == Merging::continuing ? "set " + path : std::string();
  return edit(DocumentChange::Kind::value, path, label, key, [&](ScenarioDraft& draft) { return draft.set(path, text); });
}

QString ScenarioEditor::unset(const std::string& path) {
  const bool item = path.ends_with(']');
  const QString label = (item ? tr("Remove %1") : tr("Reset %1")).arg(readablePath(document_, path));
  return edit(item ? DocumentChange::Kind::structure : DocumentChange::Kind::value, path, label, {},
              [&](ScenarioDraft& draft) { return draft.remove(path); });
}

QString ScenarioEditor::add(const std::string& path, std::string& added) {
  if (!document_.current()->isWellFormed()) return tr("the text has an error in its form; mend it there first");
  const std::optional<NewItem> item = newItem(*document_.current(), path);
  if (!item) return tr("nothing can be added at %1").arg(QString::fromStdString(path));
  added = item->path;
  return edit(DocumentChange::Kind::structure, path, tr("Add %1").arg(item->title), {}, [&](ScenarioDraft& draft) {
    return item->index ? draft.insertItem(path, *item->index, item->text) : draft.set(item->path, item->text);
  });
}

QString ScenarioEditor::duplicate(const std::string& path, std::string& added) {
  const std::optional<NewItem> copy = duplicateOf(*document_.current(), path);
  if (!copy) return tr("only an item of a list can be duplicated");
  added = copy->path;
  return edit(DocumentChange::Kind::structure, path, tr("Duplicate %1").arg(readablePath(document_, path)), {},
              [&](ScenarioDraft& draft) { return draft.duplicateItem(path, copy->key); });
}

QString ScenarioEditor::move(const std::string& path, std::size_t to) {
  return edit(DocumentChange::Kind::structure, path, tr("Move %1").arg(readablePath(document_, path)), {},
              [&](ScenarioDraft& draft) { return draft.moveItem(path, to); });
}

QString ScenarioEditor::rename(const std::string& path, const std::string& key) {
  const QString label = tr("Rename %1 to %2").arg(readablePath(document_, path), shown(key));
  return edit(DocumentChange::Kind::structure, path, label, {}, [&](ScenarioDraft& draft) { return draft.renameKey(path, key); });
}

QString ScenarioEditor::compose(const QString& label, const std::function<bool(ScenarioDraft&)>& edits) {
  return edit(DocumentChange::Kind::structure, {}, label, {}, edits);
}

void ScenarioEditor::type(const std::string& text) {
  auto replaced = difference(document_.current()->text(), text);
  if (!replaced) return;
  const std::size_t end = replaced->offset + replaced->length;
  const bool beside = replaced->offset == typedUpTo_ || end == typedUpTo_;
  const bool soon = lastTyped_.isValid() && lastTyped_.elapsed() < typingPause_ms;
  const bool newLine = replaced->replacement.find('\n') != std::string::npos;
  if (!beside || !soon || newLine) ++typingRun_;
  typedUpTo_ = replaced->offset + replaced->replacement.size();
  lastTyped_.start();
  document_.undoStack().push(new EditCommand(document_, {DocumentChange::Kind::text, {}, std::move(replaced)}, tr("Typing"),
                                             "typing " + std::to_string(typingRun_)));
}

QString readablePath(const ScenarioDocument& document, const std::string& path) {
  std::string problem;
  const auto parsed = scenarios::parse_path(path, problem);
  if (!parsed || !document.readable()) return QString::fromStdString(path);
  return QString::fromStdString(scenarios::to_string(namedPath(document.readable()->message(), *parsed)));
}

}  // namespace rackwright::gui
