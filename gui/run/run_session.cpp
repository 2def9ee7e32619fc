#include "gui/run/run_session.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QThreadPool>

#include "models/base/version.h"

namespace rackwright::gui {
namespace {

RunStanding standingOf(RunEnding ending) {
  switch (ending) {
    case RunEnding::completed:
    case RunEnding::gateFailed: return RunStanding::finished;
    case RunEnding::cancelled: return RunStanding::cancelled;
    case RunEnding::stalled: return RunStanding::stalled;
    case RunEnding::badInput:
    case RunEnding::environment:
    case RunEnding::notStarted: return RunStanding::failed;
    case RunEnding::bug:
    case RunEnding::crashed: return RunStanding::crashed;
  }
  return RunStanding::crashed;
}

}  // namespace

bool isOver(RunStanding standing) {
  switch (standing) {
    case RunStanding::starting:
    case RunStanding::running:
    case RunStanding::paused:
    case RunStanding::cancelling:
    case RunStanding::loading: return false;
    case RunStanding::finished:
    case RunStanding::cancelled:
    case RunStanding::stalled:
    case RunStanding::partial:
    case RunStanding::failed:
    case RunStanding::crashed:
    case RunStanding::unreadable: return true;
  }
  return true;
}

RunSession::RunSession(QObject* parent) : QObject(parent) {
  connect(&process_, &RunProcess::ended, this, &RunSession::take);
  connect(&process_, &RunProcess::stateChanged, this, [this] {
    if (!process_.isRunning()) return;
    setStanding(process_.isCancelling() ? RunStanding::cancelling : process_.isPaused() ? RunStanding::paused : RunStanding::running);
  });
  connect(&follower_, &RunFollower::updated, this, [this](const std::shared_ptr<const LiveView>& view) {
    if (results_) return;
    live_ = view;
    Q_EMIT liveChanged();
  });
  connect(&follower_, &RunFollower::failed, this, [this](const QString& problem) {
    if (isActive()) setStanding(standing_, tr("The charts stand still: %1").arg(problem));
  });
}

RunSession::~RunSession() {
  if (stopLoading_) *stopLoading_ = true;
}

void RunSession::start(const QString& program, const QString& scenario, const QString& outFolder, StepKeeping steps) {
  folder_ = outFolder;
  setStanding(RunStanding::starting);
  if (program.isEmpty()) {
    setStanding(RunStanding::failed, tr("The program 'rackwright' is neither beside this one nor on the PATH"));
    return;
  }
  follower_.start(outFolder + QStringLiteral(".partial/run.pb"));
  process_.start(program, scenario, outFolder, steps);
}

void RunSession::open(const QString& path) {
  folder_ = QFileInfo(path).absoluteFilePath();
  load(folder_, RunStanding::finished, {});
}

void RunSession::take(RunEnding ending, int code) {
  follower_.stop();
  QString detail;
  if (ending == RunEnding::crashed) detail = tr("The simulator was ended by signal %1. %2").arg(code).arg(process_.lastDiagnostic());
  else if (ending == RunEnding::bug) detail = tr("The simulator gave up on itself (exit code %1). %2").arg(code).arg(process_.lastDiagnostic());
  else if (ending != RunEnding::completed) detail = process_.lastDiagnostic();
  const RunStanding standing = standingOf(ending);
  const QString partial = folder_ + QStringLiteral(".partial");
  if (standing == RunStanding::finished) return load(folder_, standing, detail);
  const bool refusedAtOnce = ending == RunEnding::badInput || ending == RunEnding::notStarted;
  if (!refusedAtOnce && QFileInfo::exists(partial)) {
    folder_ = partial;
    return load(folder_, standing, detail);
  }
  setStanding(standing, detail);
}

void RunSession::load(const QString& path, RunStanding afterwards, const QString& detail) {
  setStanding(RunStanding::loading, detail);
  stopLoading_ = std::make_shared<std::atomic<bool>>(false);
  QThreadPool::globalInstance()->start([this, path, afterwards, detail, stopped = stopLoading_] {
    auto loaded = std::make_shared<const LoadedRun>(loadRun(path, *stopped));
    // The application takes the answer: whether this session is still there is known in its thread alone.
    QMetaObject::invokeMethod(QCoreApplication::instance(), [this, loaded, afterwards, detail, stopped] {
      if (!*stopped) settle(loaded, afterwards, detail);
    }, Qt::QueuedConnection);
  });
}

void RunSession::settle(std::shared_ptr<const LoadedRun> loaded, RunStanding afterwards, const QString& detail) {
  if (!loaded->problem.isEmpty()) {
    const bool ours = afterwards != RunStanding::finished;
    setStanding(ours ? afterwards : RunStanding::unreadable, ours && !detail.isEmpty() ? detail : loaded->problem);
    return;
  }
  results_ = std::move(loaded);
  RunStanding standing = afterwards;
  QStringList sentences;
  if (!detail.isEmpty()) sentences.push_back(detail);
  const results::RunRecord& record = results_->record;
  if (record.is_partial() && standing == RunStanding::finished) {
    standing = RunStanding::partial;
    if (record.summary) standing = record.summary->status == results::RunStatus::stalled ? RunStanding::stalled : RunStanding::cancelled;
  }
  if (record.is_partial() && detail.isEmpty()) sentences.push_back(QString::fromStdString(record.partial_reason));
  const std::string_view own = version();
  if (record.run.version != own) {
    sentences.push_back(tr("Written by Rackwright %1; this is %2.").arg(QString::fromStdString(record.run.version), QString::fromUtf8(own.data(), static_cast<qsizetype>(own.size()))));
  }
  setStanding(standing, sentences.join(QStringLiteral(" · ")));
  Q_EMIT resultsChanged();
}

void RunSession::setStanding(RunStanding standing, const QString& detail) {
  standing_ = standing;
  detail_ = detail;
  Q_EMIT standingChanged();
}

QString RunSession::headline() const {
  switch (standing_) {
    case RunStanding::starting: return tr("Starting");
    case RunStanding::running: return tr("Running");
    case RunStanding::paused: return tr("Paused");
    case RunStanding::cancelling: return tr("Cancelling");
    case RunStanding::loading: return tr("Reading the run");
    case RunStanding::finished: return tr("Finished");
    case RunStanding::cancelled: return tr("Cancelled");
    case RunStanding::stalled: return tr("Stopped by the watchdog");
    case RunStanding::partial: return tr("Partial");
    case RunStanding::failed: return tr("Failed");
    case RunStanding::crashed: return tr("Crashed");
    case RunStanding::unreadable: return tr("Cannot be opened");
  }
  return {};
}

QString RunSession::title() const {
  QString name = QFileInfo(folder_).fileName();
  if (name == QStringLiteral("run.pb")) name = QFileInfo(QFileInfo(folder_).absolutePath()).fileName();
  if (name.endsWith(QStringLiteral(".partial"))) name.chop(8);
  return name;
}

}  // namespace rackwright::gui
