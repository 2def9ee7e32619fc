#include "gui/app/run_tabs.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QTabBar>
#include <QTabWidget>
#include <QUrl>

#include "gui/document/scenario_document.h"
#include "gui/views/closable_tab.h"
#include "gui/views/icons.h"
#include "gui/views/run_view.h"
#include "scenarios/results/run_folder.h"

namespace rackwright::gui {
namespace {

/// A free name for the folder of a run: beside the scenario, as `rackwright run` would choose in that folder. A partial
/// folder of an earlier run keeps its name.
QString freeFolder(const QString& scenario) {
  const QFileInfo file(scenario);
  const QString wanted = file.absoluteDir().filePath(QStringLiteral("runs/") + file.completeBaseName());
  for (int n = 1;; ++n) {
    const QString folder = n == 1 ? wanted : QStringLiteral("%1-%2").arg(wanted).arg(n);
    if (!results::is_taken(folder.toStdString()) && !QFileInfo::exists(folder + QStringLiteral(".partial"))) return folder;
  }
}

}  // namespace

RunTabs::RunTabs(QTabWidget& tabs, QObject* parent) : QObject(parent), tabs_(tabs) {
  connect(&tabs_, &QTabWidget::tabCloseRequested, this, &RunTabs::close);
  connect(&tabs_, &QTabWidget::currentChanged, this, &RunTabs::changed);
}

RunView* RunTabs::add() {
  auto* view = new RunView;
  addClosableTab(tabs_, view, icon(Icon::chart), QString());
  connect(&view->session(), &RunSession::standingChanged, view, [this, view] { retitle(view); });
  connect(view, &RunView::openRequested, this, &RunTabs::openRequested);
  connect(&view->session(), &RunSession::resultsChanged, this, [this, view] { Q_EMIT runOpened(view->session().folder()); });
  return view;
}

void RunTabs::retitle(RunView* view) {
  const int index = tabs_.indexOf(view);
  if (index < 0) return;
  const RunSession& session = view->session();
  const QString state = session.standing() == RunStanding::finished ? QString() : QStringLiteral(" · ") + session.headline().toLower();
  tabs_.setTabText(index, session.title() + state);
  tabs_.setTabToolTip(index, session.folder());
  Q_EMIT changed();
}

QString RunTabs::start(ScenarioDocument& document, const QString& scratchFolder, StepKeeping steps) {
  QString scenario = document.file();
  if (document.hasFile()) {
    if (document.isModified()) {
      if (QString problem = document.save(); !problem.isEmpty()) return problem;
    }
  } else {
    QDir().mkpath(scratchFolder);
    scenario = QDir(scratchFolder).filePath(document.title());
    QSaveFile copy(scenario);
    const std::string& text = document.current()->text();
    const bool written = copy.open(QIODevice::WriteOnly) && copy.write(text.data(), static_cast<qint64>(text.size())) >= 0 && copy.commit();
    if (!written) return tr("%1 cannot be written: %2").arg(scenario, copy.errorString());
  }
  RunView* view = add();
  view->session().start(simulatorProgram(), scenario, freeFolder(scenario), steps);
  return {};
}

RunView* RunTabs::open(const QString& path) {
  const QString folder = QFileInfo(path).absoluteFilePath();
  for (int i = 0; i < tabs_.count(); ++i) {
    auto* view = qobject_cast<RunView*>(tabs_.widget(i));
    if (!view || view->session().folder() != folder) continue;
    tabs_.setCurrentIndex(i);
    return view;
  }
  RunView* view = add();
  view->session().open(folder);
  return view;
}

RunView* RunTabs::current() const { return qobject_cast<RunView*>(tabs_.currentWidget()); }

int RunTabs::active() const {
  int count = 0;
  for (int i = 0; i < tabs_.count(); ++i) {
    auto* view = qobject_cast<RunView*>(tabs_.widget(i));
    if (view && view->session().isActive()) ++count;
  }
  return count;
}

void RunTabs::close(int index) {
  auto* view = qobject_cast<RunView*>(tabs_.widget(index));
  if (!view) return;
  if (view->session().isActive()) {
    // What runs is not lost by a slip: the first time ends the run and keeps what there is.
    view->session().process().cancel();
    return;
  }
  tabs_.removeTab(index);
  view->deleteLater();
  Q_EMIT changed();
}

}  // namespace rackwright::gui
