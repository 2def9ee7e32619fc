#include "gui/app/scenario_actions.h"

#include <QAction>
#include <QTreeView>

#include "gui/commands/scenario_editor.h"
#include "gui/document/scenario_document.h"
#include "gui/item_models/outline_model.h"
#include "gui/views/icons.h"
#include "gui/views/outline_view.h"
#include "gui/views/property_view.h"
#include "scenarios/schema/path.h"

namespace rackwright::gui {
namespace {

QAction* make(QObject* parent, Icon which, const QString& text, const QKeySequence& keys) {
  auto* action = new QAction(icon(which), text, parent);
  action->setShortcut(keys);
  action->setToolTip(keys.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText)));
  return action;
}

std::optional<scenarios::Path> parsed(const std::string& text) {
  std::string problem;
  return scenarios::parse_path(text, problem);
}

}  // namespace

ScenarioActions::ScenarioActions(ScenarioEditor& editor, OutlineView& outline, PropertyView& properties, QObject* parent)
    : QObject(parent),
      add(make(this, Icon::add, tr("&Add an item"), QKeySequence(QStringLiteral("Ctrl+Shift+A")))),
      duplicate(make(this, Icon::duplicate, tr("D&uplicate the item"), QKeySequence(QStringLiteral("Ctrl+D")))),
      remove(make(this, Icon::remove, tr("&Remove"), QKeySequence(QStringLiteral("Ctrl+Shift+Backspace")))),
      moveUp(make(this, Icon::moveUp, tr("Move &up"), QKeySequence(QStringLiteral("Alt+Up")))),
      moveDown(make(this, Icon::moveDown, tr("Move &down"), QKeySequence(QStringLiteral("Alt+Down")))),
      reset(make(this, Icon::reset, tr("Re&set the parameter"), QKeySequence(QStringLiteral("Ctrl+Backspace")))),
      editor_(editor),
      outline_(outline),
      properties_(properties) {
  connect(add, &QAction::triggered, this, &ScenarioActions::addHere);
  connect(duplicate, &QAction::triggered, this, &ScenarioActions::duplicateHere);
  connect(remove, &QAction::triggered, this, &ScenarioActions::removeHere);
  connect(moveUp, &QAction::triggered, this, [this] { moveBy(-1); });
  connect(moveDown, &QAction::triggered, this, [this] { moveBy(1); });
  connect(reset, &QAction::triggered, this, &ScenarioActions::resetHere);
  connect(&outline_, &OutlineView::pathSelected, this, &ScenarioActions::refresh);
  connect(&properties_, &PropertyView::currentPathChanged, this, &ScenarioActions::refresh);
  connect(&editor_.document(), &ScenarioDocument::changed, this, &ScenarioActions::refresh);
  refresh();
}

std::string ScenarioActions::place() const {
  const bool inProperties = properties_.isAncestorOf(properties_.window()->focusWidget()) && !properties_.currentPath().empty();
  return inProperties ? properties_.currentPath() : outline_.currentPath();
}

void ScenarioActions::refresh() {
  const bool writable = editor_.document().isOpen() && editor_.document().current()->isWellFormed();
  const auto path = parsed(outline_.currentPath());
  const bool item = path && !path->empty() && path->back().index.has_value();
  add->setEnabled(writable);
  remove->setEnabled(writable && path && !path->empty());
  for (QAction* action : {duplicate, moveUp, moveDown}) action->setEnabled(writable && item);
  reset->setEnabled(writable && !properties_.currentPath().empty());
}

void ScenarioActions::addHere() {
  // A list, or the list that holds the current item; else the nearest list inside the place.
  for (std::string path = place();;) {
    std::string madeAt;
    const QString problem = editor_.add(path, madeAt);
    if (problem.isEmpty()) return Q_EMIT added(madeAt);
    const QModelIndex index = outline_.model()->index(0, 0, outline_.currentIndex());
    if (path == outline_.currentPath() && index.data(OutlineModel::IsCollectionRole).toBool()) {
      path = index.data(OutlineModel::PathRole).toString().toStdString();
      continue;
    }
    auto steps = parsed(path);
    if (!steps || steps->empty()) return Q_EMIT refused(problem);
    steps->pop_back();
    path = scenarios::to_string(*steps);
    if (path.empty()) return Q_EMIT refused(tr("There is no list here; choose one in the outline"));
  }
}

void ScenarioActions::duplicateHere() {
  std::string madeAt;
  const QString problem = editor_.duplicate(outline_.currentPath(), madeAt);
  if (problem.isEmpty()) Q_EMIT added(madeAt);
  else Q_EMIT refused(problem);
}

void ScenarioActions::removeHere() {
  const QString problem = editor_.unset(place());
  if (!problem.isEmpty()) Q_EMIT refused(problem);
}

void ScenarioActions::moveBy(int rows) {
  auto path = parsed(outline_.currentPath());
  if (!path || path->empty() || !path->back().index) return;
  const auto from = static_cast<int>(*path->back().index);
  const int size = outline_.model()->rowCount(outline_.currentIndex().parent());
  const int to = from + rows;
  if (to < 0 || to >= size) return;
  const QString problem = editor_.move(outline_.currentPath(), static_cast<std::size_t>(to));
  if (!problem.isEmpty()) return Q_EMIT refused(problem);
  path->back().index = static_cast<std::size_t>(to);
  outline_.select(scenarios::to_string(*path));
}

void ScenarioActions::resetHere() {
  const QString problem = editor_.unset(properties_.currentPath());
  if (!problem.isEmpty()) Q_EMIT refused(problem);
}

}  // namespace rackwright::gui
