// The menus, the tool bar and the keys of the window.
#include <QActionGroup>
#include <QApplication>
#include <QMenuBar>
#include <QDockWidget>
#include <QToolBar>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/app/recent_files.h"
#include "gui/app/run_tabs.h"
#include "gui/app/scenario_actions.h"
#include "gui/views/icons.h"
#include "gui/views/message_bar.h"
#include "gui/views/property_view.h"
#include "gui/views/run_view.h"
#include "scenarios/library/scenario_library.h"

namespace rackwright::gui {
namespace {

const QString themeKey = QStringLiteral("theme");
const QString keepStepsKey = QStringLiteral("keepSteps");

}  // namespace

QAction* MainWindow::action(QMenu& menu, int which, const QString& text, const QKeySequence& keys, void (MainWindow::*slot)()) {
  auto* made = new QAction(icon(static_cast<Icon>(which)), text, this);
  made->setShortcut(keys);
  QString plain = text;
  plain.remove(QLatin1Char('&'));
  made->setToolTip(keys.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, keys.toString(QKeySequence::NativeText)));
  connect(made, &QAction::triggered, this, slot);
  menu.addAction(made);
  searchable_.push_back(made);
  return made;
}

void MainWindow::makeActions() {
  makeFileMenu();
  makeEditMenu();
  makeRunMenu();
  makeViewMenu();
  makeToolBar();
}

void MainWindow::makeFileMenu() {
  QMenu& file = *menuBar()->addMenu(tr("&File"));
  action(file, int(Icon::newFile), tr("&New"), QKeySequence::New, &MainWindow::newScenario);
  QMenu& templates = *file.addMenu(icon(Icon::document), tr("From the &library"));
  for (const scenarios::LibraryScenario& scenario : scenarios::library_scenarios()) {
    QAction* made = templates.addAction(QString::fromStdString(scenario.title));
    made->setToolTip(QString::fromStdString(scenario.description));
    connect(made, &QAction::triggered, this, [this, path = QString::fromStdString(scenario.path)] { openTemplate(path); });
  }
  action(file, int(Icon::open), tr("&Open…"), QKeySequence::Open, &MainWindow::chooseFile);
  recentMenu_ = file.addMenu(icon(Icon::clock), tr("Open &recent"));
  connect(recentMenu_, &QMenu::aboutToShow, this, [this] {
    recentMenu_->clear();
    for (const QString& path : recentFiles(settings_)) recentMenu_->addAction(path, this, [this, path] { openPath(path); });
    if (recentMenu_->isEmpty()) recentMenu_->addAction(tr("Nothing yet"))->setEnabled(false);
  });
  file.addSeparator();
  save_ = action(file, int(Icon::save), tr("&Save"), QKeySequence::Save, &MainWindow::save);
  saveAs_ = action(file, int(Icon::save), tr("Save &as…"), QKeySequence::SaveAs, &MainWindow::saveAs);
  revert_ = action(file, int(Icon::reset), tr("Re&vert to the file"), QKeySequence(), &MainWindow::revert);
  revert_->setObjectName(QStringLiteral("revert"));
  file.addSeparator();
  close_ = action(file, int(Icon::close), tr("&Close the scenario"), QKeySequence(QStringLiteral("Ctrl+Shift+W")), &MainWindow::closeScenario);
  QAction* quit = file.addAction(tr("&Quit"), this, &QWidget::close);
  quit->setShortcut(QKeySequence::Quit);
}

void MainWindow::makeEditMenu() {
  QMenu& edit = *menuBar()->addMenu(tr("&Edit"));
  QAction* undo = document_.undoStack().createUndoAction(this, tr("&Undo"));
  undo->setIcon(icon(Icon::undo));
  undo->setShortcut(QKeySequence::Undo);
  undo->setObjectName(QStringLiteral("undo"));
  QAction* redo = document_.undoStack().createRedoAction(this, tr("&Redo"));
  redo->setIcon(icon(Icon::redo));
  redo->setShortcut(QKeySequence::Redo);
  redo->setObjectName(QStringLiteral("redo"));
  edit.addActions({undo, redo});
  edit.addSeparator();
  edit.addActions({actions_->add, actions_->duplicate, actions_->remove, actions_->moveUp, actions_->moveDown, actions_->reset});
  edit.addSeparator();
  for (QAction* made : {actions_->add, actions_->duplicate, actions_->remove, actions_->moveUp, actions_->moveDown, actions_->reset}) searchable_.push_back(made);
  action(edit, int(Icon::search), tr("&Search everything"), QKeySequence(QStringLiteral("Ctrl+K")), &MainWindow::search)->setObjectName(QStringLiteral("searchEverything"));
}

void MainWindow::makeRunMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Run"));
  run_ = action(menu, int(Icon::run), tr("&Run"), QKeySequence(QStringLiteral("Ctrl+R")), &MainWindow::run);
  run_->setObjectName(QStringLiteral("run"));
  const auto ofCurrent = [&](Icon which, const QString& text, const char* keys, void (RunProcess::*act)()) {
    QAction* made = menu.addAction(icon(which), text);
    made->setShortcut(QKeySequence(QLatin1String(keys)));
    made->setEnabled(false);
    connect(made, &QAction::triggered, this, [this, act] {
      if (RunView* view = runs_->current()) (view->session().process().*act)();
    });
    connect(runs_, &RunTabs::changed, made, [this, made] { made->setEnabled(runs_->current() && runs_->current()->session().isActive()); });
  };
  ofCurrent(Icon::pause, tr("&Pause"), "Ctrl+Shift+P", &RunProcess::pause);
  ofCurrent(Icon::run, tr("&Go on"), "Ctrl+Shift+G", &RunProcess::resume);
  ofCurrent(Icon::stop, tr("&Cancel"), "Ctrl+Shift+C", &RunProcess::cancel);
  menu.addSeparator();
  keepSteps_ = menu.addAction(tr("Keep every &step"));
  keepSteps_->setObjectName(QStringLiteral("keepSteps"));
  keepSteps_->setToolTip(tr("Later runs write what each of their steps computed into the run folder, for the timeline"));
  keepSteps_->setCheckable(true);
  keepSteps_->setChecked(settings_.value(keepStepsKey, true).toBool());
  connect(keepSteps_, &QAction::toggled, this, [this](bool on) { settings_.setValue(keepStepsKey, on); });
  searchable_.push_back(keepSteps_);
  menu.addSeparator();
  QAction* close = menu.addAction(icon(Icon::close), tr("C&lose the tab"));
  close->setShortcut(QKeySequence(QStringLiteral("Ctrl+W")));
  connect(close, &QAction::triggered, this, [this] { Q_EMIT tabs_->tabCloseRequested(tabs_->currentIndex()); });
}

void MainWindow::makeViewMenu() {
  QMenu& view = *menuBar()->addMenu(tr("&View"));
  const std::pair<QDockWidget*, const char*> docks[] = {{outlineDock_, "Alt+1"}, {propertyDock_, "Alt+2"}, {problemsDock_, "Alt+3"}};
  for (const auto& [dock, keys] : docks) {
    QAction* go = view.addAction(tr("Go to %1").arg(dock->windowTitle()));
    go->setShortcut(QKeySequence(QLatin1String(keys)));
    connect(go, &QAction::triggered, this, [dock = dock] {
      dock->show();
      dock->raise();
      dock->widget()->setFocus();
    });
  }
  QAction* text = view.addAction(tr("Go to the text"));
  text->setShortcut(QKeySequence(QStringLiteral("Alt+0")));
  connect(text, &QAction::triggered, this, [this] {
    tabs_->setCurrentIndex(0);
    tabs_->currentWidget()->setFocus();
  });
  QAction* answer = view.addAction(tr("Go to the message"));
  answer->setShortcut(QKeySequence(QStringLiteral("Alt+4")));
  connect(answer, &QAction::triggered, message_, &MessageBar::takeFocus);
  const auto cycle = [&](const QString& name, const QKeySequence& keys, int by) {
    QAction* made = view.addAction(name);
    made->setShortcut(keys);
    connect(made, &QAction::triggered, this, [this, by] { tabs_->setCurrentIndex((tabs_->currentIndex() + by + tabs_->count()) % tabs_->count()); });
  };
  cycle(tr("Next tab"), QKeySequence(QStringLiteral("Ctrl+PgDown")), 1);
  cycle(tr("Previous tab"), QKeySequence(QStringLiteral("Ctrl+PgUp")), -1);
  view.addSeparator();
  for (const auto& [dock, keys] : docks) view.addAction(dock->toggleViewAction());
  view.addSeparator();
  QMenu& themes = *view.addMenu(icon(Icon::dark), tr("&Theme"));
  auto* group = new QActionGroup(this);
  const std::pair<ThemeChoice, QString> choices[] = {{ThemeChoice::system, tr("As the &system")}, {ThemeChoice::light, tr("&Light")}, {ThemeChoice::dark, tr("&Dark")}};
  for (const auto& [choice, name] : choices) {
    QAction* made = themes.addAction(name);
    made->setCheckable(true);
    made->setObjectName(QStringLiteral("theme:%1").arg(static_cast<int>(choice)));
    made->setChecked(choice == theme());
    group->addAction(made);
    connect(made, &QAction::triggered, this, [this, choice = choice] { setTheme(choice); });
  }
}

void MainWindow::makeToolBar() {
  auto* bar = new QToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("toolBar"));
  bar->setMovable(false);
  bar->setIconSize(QSize(18, 18));
  bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
  for (const char* text : {"&New", "&Open…", "&Save"}) {
    for (QAction* made : searchable_) {
      if (made->text() == tr(text)) bar->addAction(made);
    }
  }
  bar->addSeparator();
  bar->addAction(findChild<QAction*>(QStringLiteral("undo")));
  bar->addAction(findChild<QAction*>(QStringLiteral("redo")));
  bar->addSeparator();
  // No default action: that would give the button the action's icon, whose colour is for a menu.
  runButton_ = new QToolButton;
  runButton_->setObjectName(QStringLiteral("runButton"));
  runButton_->setText(tr("Run"));
  runButton_->setToolTip(run_->toolTip());
  runButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  runButton_->setProperty("primary", true);
  connect(runButton_, &QToolButton::clicked, run_, &QAction::trigger);
  connect(run_, &QAction::enabledChanged, runButton_, &QWidget::setEnabled);
  bar->addWidget(runButton_);
  auto* room = new QWidget;
  room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(room);
  auto* find = new QToolButton;
  find->setIcon(icon(Icon::search));
  find->setText(tr("Search everything   Ctrl+K"));
  find->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  find->setObjectName(QStringLiteral("searchButton"));
  connect(find, &QToolButton::clicked, this, &MainWindow::search);
  bar->addWidget(find);
  addToolBar(bar);
  runButton_->setIcon(icon(Icon::run, themeColors(palette()).onAccent));
}

ThemeChoice MainWindow::theme() const { return static_cast<ThemeChoice>(settings_.value(themeKey, static_cast<int>(ThemeChoice::system)).toInt()); }

void MainWindow::setTheme(ThemeChoice choice) {
  settings_.setValue(themeKey, static_cast<int>(choice));
  applyTheme(*qApp, choice);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && runButton_) runButton_->setIcon(icon(Icon::run, themeColors(palette()).onAccent));
}

}  // namespace rackwright::gui
