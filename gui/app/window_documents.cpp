// How a scenario, a run or another file comes into the window, and how a scenario leaves it.
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QMimeData>
#include <QStatusBar>
#include <QTabWidget>
#include <QUrl>

#include "gui/app/main_window.h"
#include "gui/app/recent_files.h"
#include "gui/app/run_tabs.h"
#include "gui/commands/dropped_file.h"
#include "gui/commands/scenario_draft.h"
#include "gui/views/message_bar.h"
#include "gui/views/run_view.h"
#include "gui/views/text_view.h"
#include "scenarios/library/scenario_library.h"

namespace rackwright::gui {

void MainWindow::offerRecovery() {
  const std::vector<RecoveredText> found = recovery_->leftovers();
  if (found.empty()) return;
  const RecoveredText& latest = found.front();
  const QString name = latest.file.isEmpty() ? latest.title : latest.file;
  message_->say(MessageBar::Kind::warning, tr("The editor ended with unsaved changes of %1.").arg(name),
                {{tr("Restore"), [this, latest] {
                    document_.recover(latest.file, latest.title, latest.text);
                    autosave_.flush();  // Safe under this session's name before the old entry goes.
                    recovery_->discard(latest.entry);
                    offerRecovery();
                  }},
                 {tr("Discard"), [this, entry = latest.entry] {
                    recovery_->discard(entry);
                    offerRecovery();
                  }}});
}

void MainWindow::watchFile() {
  if (!watcher_->files().isEmpty()) watcher_->removePaths(watcher_->files());
  if (document_.hasFile()) watcher_->addPath(document_.file());
}

void MainWindow::openPath(const QString& path) {
  const DroppedKind kind = kindOfDropped(path);
  switch (kind) {
    case DroppedKind::run: runs_->open(QFileInfo(path).isDir() ? path : QFileInfo(path).absolutePath()); return showIdentity();
    case DroppedKind::modelConfig:
    case DroppedKind::topology:
    case DroppedKind::trace: {
      if (!document_.isOpen()) return say(tr("Open a scenario first: %1 is put into one").arg(QFileInfo(path).fileName()));
      const QString folder = document_.hasFile() ? QFileInfo(document_.file()).absolutePath() : QString();
      const QString name = QFileInfo(path).fileName();
      const QString label = kind == DroppedKind::trace ? tr("Replay %1").arg(name) : kind == DroppedKind::topology ? tr("Wire the nodes as in %1").arg(name) : tr("Add the model of %1").arg(name);
      const QString problem = editor_.compose(label, [&](ScenarioDraft& draft) { return placeDropped(draft, kind, path, folder); });
      if (!problem.isEmpty()) return say(problem);
      return goTo(kind == DroppedKind::trace ? "workload" : kind == DroppedKind::topology ? "fabric.scale_out.file" : "models");
    }
    case DroppedKind::unknown:
      if (!QFileInfo::exists(path)) return say(tr("There is no %1").arg(path));
      if (QFileInfo(path).isDir()) return say(tr("%1 holds no run").arg(path));
      [[fallthrough]];
    case DroppedKind::scenario: break;
  }
  afterSaving([this, path] {
    const QString problem = document_.open(path);
    if (!problem.isEmpty()) return say(problem);
    rememberFile(settings_, path);
    tabs_->setCurrentWidget(text_);
  });
}

void MainWindow::openTemplate(const QString& libraryPath) {
  for (const scenarios::LibraryScenario& scenario : scenarios::library_scenarios()) {
    if (scenario.path != libraryPath.toStdString()) continue;
    afterSaving([this, scenario] {
      document_.openText(QFileInfo(QString::fromStdString(scenario.path)).fileName(), std::string(scenario.text));
      tabs_->setCurrentWidget(text_);
    });
  }
}

void MainWindow::afterSaving(const std::function<void()>& act) {
  if (!document_.isModified()) return act();
  message_->say(MessageBar::Kind::warning, tr("%1 has unsaved changes.").arg(document_.title()),
                {{tr("Save"), [this, act] {
                    save();
                    if (!document_.isModified()) act();
                  }},
                 {tr("Discard"), act},
                 {tr("Stay"), [] {}}});
}

void MainWindow::newScenario() {
  afterSaving([this] { document_.openText(QStringLiteral("new.yaml"), "schema: rackwright/v1\nname: New scenario\n"); });
}

void MainWindow::chooseFile() {
  auto* dialog = new QFileDialog(this, tr("Open a scenario or the run.pb of a run"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({tr("Scenarios and runs (*.yaml *.yml *.json *.textproto *.pb)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openPath);
  dialog->open();
}

void MainWindow::save() {
  if (!document_.hasFile()) return saveAs();
  if (const QString problem = document_.save(); !problem.isEmpty()) return say(problem);
  statusBar()->showMessage(tr("Saved"), 2000);
}

void MainWindow::saveAs() {
  auto* dialog = new QFileDialog(this, tr("Save the scenario"), document_.hasFile() ? document_.file() : document_.title());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("yaml"));
  dialog->setNameFilters({tr("Scenarios (*.yaml *.yml *.json)")});
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    if (const QString problem = document_.saveAs(file); !problem.isEmpty()) return say(problem);
    rememberFile(settings_, file);
  });
  dialog->open();
}

void MainWindow::revert() {
  if (const QString problem = document_.revert(); !problem.isEmpty()) say(problem);
}

void MainWindow::closeScenario() {
  afterSaving([this] { document_.close(); });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (discard_ || (!document_.isModified() && runs_->active() == 0)) {
    rememberLayout();
    autosave_.flush();  // Nothing may be written after what is removed here.
    recovery_->clear();
    event->accept();
    return;
  }
  event->ignore();
  const auto leave = [this] {
    discard_ = true;
    close();
  };
  if (document_.isModified()) {
    message_->say(MessageBar::Kind::warning, tr("%1 has unsaved changes.").arg(document_.title()),
                  {{tr("Save and quit"), [this] {
                      save();
                      if (!document_.isModified()) close();
                    }},
                   {tr("Discard and quit"), leave},
                   {tr("Stay"), [] {}}});
  } else {
    message_->say(MessageBar::Kind::warning, tr("A run is under way; leaving ends it."), {{tr("End it and quit"), leave}, {tr("Stay"), [] {}}});
  }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) openPath(url.toLocalFile());
  }
  event->acceptProposedAction();
}

}  // namespace rackwright::gui
