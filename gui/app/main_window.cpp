#include "gui/app/main_window.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/app/recent_files.h"
#include "gui/app/run_tabs.h"
#include "gui/app/scenario_actions.h"
#include "gui/item_models/search_index.h"
#include "gui/run/number_text.h"
#include "gui/views/closable_tab.h"
#include "gui/views/icons.h"
#include "gui/views/message_bar.h"
#include "gui/views/outline_view.h"
#include "gui/views/problems_view.h"
#include "gui/views/property_view.h"
#include "gui/views/run_view.h"
#include "gui/views/search_popup.h"
#include "gui/views/start_page.h"
#include "gui/views/text_view.h"
#include "scenarios/library/scenario_library.h"

namespace rackwright::gui {
namespace {

using namespace std::chrono_literals;

/// Long enough not to check every keystroke, short enough to feel immediate.
constexpr auto checkPause = 250ms;

const QString geometryKey = QStringLiteral("window/geometry");
const QString stateKey = QStringLiteral("window/state");
constexpr int layoutVersion = 2;

}  // namespace

MainWindow::MainWindow(const WindowFolders& folders, QWidget* parent)
    : QMainWindow(parent),
      folders_(folders),
      check_(document_, checkPause),
      recovery_(std::make_shared<const RecoveryStore>(folders.recovery)),
      autosave_(document_, recovery_),
      message_(new MessageBar),
      pages_(new QStackedWidget),
      start_(new StartPage),
      tabs_(new QTabWidget),
      text_(new TextView(editor_)),
      outline_(new OutlineView(outlineModel_)),
      properties_(new PropertyView(propertyModel_)),
      problems_(new ProblemsView(problemsModel_, check_)),
      search_(nullptr),
      runs_(new RunTabs(*tabs_, this)),
      actions_(new ScenarioActions(editor_, *outline_, *properties_, this)),
      standing_(new QLabel),
      watcher_(new QFileSystemWatcher(this)) {
  applyTheme(*qApp, theme());
  setWindowTitle(QStringLiteral("Rackwright"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  tabs_->setObjectName(QStringLiteral("tabs"));
  tabs_->setDocumentMode(true);
  tabs_->addTab(text_, icon(Icon::document), tr("Scenario"));
  tabs_->tabBar()->setDrawBase(false);
  pages_->addWidget(start_);
  pages_->addWidget(tabs_);
  auto* centre = new QWidget;
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(message_);
  layout->addWidget(pages_, 1);
  setCentralWidget(centre);
  search_ = new SearchPopup(this);
  standing_->setObjectName(QStringLiteral("standing"));
  standing_->setContentsMargins(8, 2, 8, 3);
  statusBar()->addWidget(standing_, 1);
  statusBar()->setSizeGripEnabled(false);
  makeDocks();
  makeActions();
  connectDocument();
  connectViews();
  restoreLayout();
  showIdentity();
  offerRecovery();
}

MainWindow::~MainWindow() {
  // Views go before the models that they show, and nobody listens any more.
  document_.disconnect(this);
  check_.disconnect(this);
  tabs_->disconnect();
  qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
}

void MainWindow::makeDocks() {
  const auto dock = [this](const QString& title, const char* name, QWidget* widget, Qt::DockWidgetArea area) {
    auto* made = new QDockWidget(title);
    made->setObjectName(QLatin1String(name));
    made->setWidget(widget);
    made->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
    addDockWidget(area, made);
    return made;
  };
  outlineDock_ = dock(tr("Outline"), "outlineDock", outline_, Qt::LeftDockWidgetArea);
  propertyDock_ = dock(tr("Properties"), "propertyDock", properties_, Qt::RightDockWidgetArea);
  problemsDock_ = dock(tr("Problems"), "problemsDock", problems_, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);  // Problems are sentences: they want the width.
  outline_->addActions({actions_->add, actions_->duplicate, actions_->remove, actions_->moveUp, actions_->moveDown});
  properties_->tree().addActions({actions_->reset, actions_->add});
}

void MainWindow::connectDocument() {
  connect(&document_, &ScenarioDocument::identityChanged, this, &MainWindow::showIdentity);
  connect(&document_, &ScenarioDocument::identityChanged, this, &MainWindow::watchFile);
  connect(&document_, &ScenarioDocument::modifiedChanged, this, &MainWindow::showIdentity);
  connect(&document_, &ScenarioDocument::changed, this, [this](const DocumentChange& change) {
    if (change.kind == DocumentChange::Kind::loaded) showChecked();
    problems_->refresh();
  });
  connect(&check_, &CheckService::checked, this, &MainWindow::showChecked);
  connect(&autosave_, &Autosave::failed, this, &MainWindow::say);
  connect(watcher_, &QFileSystemWatcher::fileChanged, this, [this](const QString& file) {
    if (file != document_.file()) return;
    watchFile();  // An editor that replaces a file ends the watch on it.
    std::string bytes;
    if (!readBytes(file, bytes).isEmpty() || bytes == document_.current()->text()) return;
    message_->say(MessageBar::Kind::warning, tr("%1 has changed on disk.").arg(document_.title()), {{tr("Load it"), [this] { revert(); }}, {tr("Keep mine"), [] {}}});
  });
}

void MainWindow::connectViews() {
  connect(start_, &StartPage::templateChosen, this, &MainWindow::openTemplate);
  connect(start_, &StartPage::fileChosen, this, &MainWindow::openPath);
  connect(start_, &StartPage::openRequested, this, &MainWindow::chooseFile);
  connect(outline_, &OutlineView::pathSelected, this, [this](const std::string& path) {
    properties_->show(path);
    if (!following_ && outline_->hasFocus()) goToText(path);
  });
  connect(text_, &TextView::pathChanged, this, [this](const std::string& path) {
    if (!text_->hasFocus()) return;
    following_ = true;
    outline_->select(path);
    properties_->show(outline_->currentPath(), path);
    following_ = false;
  });
  connect(properties_, &PropertyView::placeActivated, this, &MainWindow::goTo);
  connect(problems_, &ProblemsView::placeActivated, this, [this](const std::string& path, int line) {
    if (!path.empty()) goTo(path);
    tabs_->setCurrentWidget(text_);
    if (line > 0) text_->goTo(line, 0);
  });
  connect(&propertyModel_, &PropertyModel::refused, this, [this](const QString& path, const QString& problem) { say(QStringLiteral("%1: %2").arg(path, problem)); });
  connect(actions_, &ScenarioActions::refused, this, &MainWindow::say);
  connect(actions_, &ScenarioActions::added, this, &MainWindow::goTo);
  connect(runs_, &RunTabs::openRequested, this, [this](const QUrl& url) {
    if (!QDesktopServices::openUrl(url)) say(tr("Nothing opens %1 here").arg(url.toString()));
  });
  connect(runs_, &RunTabs::runOpened, this, [this](const QString& folder) { rememberFile(settings_, folder); });
  connect(search_, &SearchPopup::chosen, this, [this](const SearchEntry& entry) {
    switch (entry.kind) {
      case SearchEntry::Kind::action: searchable_[static_cast<std::size_t>(std::stoul(entry.target))]->trigger(); break;
      case SearchEntry::Kind::scenario: openTemplate(QString::fromStdString(entry.target)); break;
      case SearchEntry::Kind::catalog: {
        const std::size_t slash = entry.target.find('/');
        const std::string kind = entry.target.substr(0, slash);
        const std::string_view text = catalog_.text(kind, entry.target.substr(slash + 1));
        auto* page = new QPlainTextEdit(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
        page->setReadOnly(true);
        page->setFont(text_->font());
        addClosableTab(*tabs_, page, icon(Icon::table), entry.title);
        break;
      }
      default: goTo(entry.target); break;
    }
  });
  connect(tabs_, &QTabWidget::tabCloseRequested, this, [this](int index) {
    QWidget* page = tabs_->widget(index);
    if (index == 0 || qobject_cast<RunView*>(page)) return;
    tabs_->removeTab(index);
    page->deleteLater();
  });
  connect(tabs_, &QTabWidget::currentChanged, this, [this] { showIdentity(); });
}

void MainWindow::showChecked() {
  const SharedCheckResult& result = check_.result();
  problemsModel_.setChecked(result);
  outlineModel_.setFindings(result ? FindingIndex(*result) : FindingIndex());
  propertyModel_.setChecked(result);
  text_->setChecked(result);
  problems_->refresh();
  problemsDock_->setWindowTitle(!result || problemsModel_.rowCount() == 0 ? tr("Problems") : tr("Problems (%1)").arg(problemsModel_.rowCount()));
  standing_->setText(problems_->summary());
}

void MainWindow::showIdentity() {
  const bool open = document_.isOpen();
  const bool anything = open || tabs_->count() > 1;
  pages_->setCurrentWidget(anything ? static_cast<QWidget*>(tabs_) : start_);
  if (!anything) start_->setRecent(recentFiles(settings_));
  tabs_->setTabVisible(0, open);
  tabs_->setTabText(0, open ? document_.title() + (document_.isModified() ? QStringLiteral(" •") : QString()) : QString());
  setWindowTitle(open ? QStringLiteral("%1[*] — Rackwright").arg(document_.title()) : QStringLiteral("Rackwright"));
  setWindowModified(open && document_.isModified());
  for (QAction* made : {run_, save_, saveAs_, revert_, close_}) made->setEnabled(open);
  showDocks();
}

void MainWindow::showDocks() {
  const bool editing = document_.isOpen() && !runs_->current();
  if (editing == editing_) return;
  editing_ = editing;
  if (!editing) {
    if (isVisible()) layout_ = saveState(layoutVersion);
    for (QDockWidget* dock : {outlineDock_, propertyDock_, problemsDock_}) dock->hide();
    statusBar()->hide();
    return;
  }
  statusBar()->show();
  if (restoreState(layout_, layoutVersion)) return;
  for (QDockWidget* dock : {outlineDock_, propertyDock_, problemsDock_}) dock->show();
  resizeDocks({outlineDock_, propertyDock_}, {std::min(270, width() / 5), std::min(440, width() / 3)}, Qt::Horizontal);
  resizeDocks({problemsDock_}, {std::min(170, height() / 5)}, Qt::Vertical);
}

void MainWindow::say(const QString& problem) { message_->say(MessageBar::Kind::error, sentence(problem)); }

void MainWindow::goTo(const std::string& path) {
  tabs_->setCurrentWidget(text_);
  following_ = true;
  outline_->select(path);
  properties_->show(outline_->currentPath(), path);
  following_ = false;
  goToText(path);
}

void MainWindow::goToText(const std::string& path) {
  if (!document_.isOpen() || !document_.current()->isWellFormed() || path.empty()) return;
  const Location place = document_.current()->places().find(path);
  if (place.line > 0) text_->goTo(place.line, place.column);
}

void MainWindow::search() {
  std::vector<SearchEntry> entries;
  if (document_.readable()) entries = placesOf(*document_.readable());
  for (std::size_t i = 0; i < searchable_.size(); ++i) {
    if (!searchable_[i]->isEnabled()) continue;
    QString text = searchable_[i]->text();
    text.remove(QLatin1Char('&'));
    entries.push_back({SearchEntry::Kind::action, text, searchable_[i]->shortcut().toString(QKeySequence::NativeText), {}, std::to_string(i)});
  }
  for (SearchEntry& entry : catalogEntries(catalog_)) entries.push_back(std::move(entry));
  for (const scenarios::LibraryScenario& scenario : scenarios::library_scenarios()) {
    entries.push_back({SearchEntry::Kind::scenario, QString::fromStdString(scenario.title), QString::fromStdString(scenario.category), QString::fromStdString(scenario.description), scenario.path});
  }
  search_->open(std::move(entries));
}

void MainWindow::run() {
  if (!document_.isOpen()) return;
  if (const QString problem = runs_->start(document_, folders_.scratch, keepSteps_->isChecked() ? StepKeeping::all : StepKeeping::none); !problem.isEmpty()) return say(problem);
  showIdentity();
}

void MainWindow::restoreLayout() {
  resize(1380, 860);
  restoreGeometry(settings_.value(geometryKey).toByteArray());
  layout_ = settings_.value(stateKey).toByteArray();
}

void MainWindow::rememberLayout() {
  settings_.setValue(geometryKey, saveGeometry());
  settings_.setValue(stateKey, editing_ ? saveState(layoutVersion) : layout_);
}

}  // namespace rackwright::gui
