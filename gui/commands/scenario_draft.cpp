#include "gui/commands/scenario_draft.h"

#include <QCoreApplication>

#include "models/base/invariant.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

const Location here{};

QString sentence(const Diagnostic& finding) {
  QString text = QString::fromStdString(finding.message);
  if (!finding.hint.empty()) text += QStringLiteral(" (%1)").arg(QString::fromStdString(finding.hint));
  return text;
}

}  // namespace

ScenarioDraft::ScenarioDraft(SharedSnapshot from) : from_(std::move(from)), text_(from_->text()) {}

const scenarios::EditableText& ScenarioDraft::editable() const { return edited_ ? *edited_ : from_->editable(); }

template <class Edit>
bool ScenarioDraft::take(Edit edit) {
  if (text_ != editable().source().text()) {
    Diagnostics findings;
    edited_ = scenarios::EditableText::read({from_->file(), text_}, from_->notation(), *v1::Scenario::descriptor(), findings);
    invariant(edited_.has_value(), "an edit left a scenario that is not well formed");
  }
  Diagnostics findings;
  const scenarios::EditableText::Result edits = edit(editable(), findings);
  if (!edits) {
    problem_ = findings.all().empty() ? QCoreApplication::translate("ScenarioDraft", "this cannot be changed here")
                                      : sentence(findings.all().front());
    return false;
  }
  text_ = scenarios::apply_edits(text_, *edits);
  return true;
}

bool ScenarioDraft::set(std::string_view path, std::string_view text) {
  return take([&](const scenarios::EditableText& t, Diagnostics& d) { return t.set(path, text, here, d); });
}

bool ScenarioDraft::remove(std::string_view path) {
  return take([&](const scenarios::EditableText& t, Diagnostics& d) { return t.remove(path, here, d); });
}

bool ScenarioDraft::insertItem(std::string_view path, std::size_t index, std::string_view text) {
  return take([&](const scenarios::EditableText& t, Diagnostics& d) { return t.insert_item(path, index, text, here, d); });
}

bool ScenarioDraft::duplicateItem(std::string_view path, std::string_view name) {
  return take([&](const scenarios::EditableText& t, Diagnostics& d) { return t.duplicate_item(path, name, here, d); });
}

bool ScenarioDraft::moveItem(std::string_view path, std::size_t to) {
  return take([&](const scenarios::EditableText& t, Diagnostics& d) { return t.move_item(path, to, here, d); });
}

bool ScenarioDraft::renameKey(std::string_view path, std::string_view name) {
  return take([&](const scenarios::EditableText& t, Diagnostics& d) { return t.rename_key(path, name, here, d); });
}

bool ScenarioDraft::isGiven(std::string_view path) const {
  ScenarioDraft trial(*this);
  return trial.remove(path);
}

}  // namespace rackwright::gui
