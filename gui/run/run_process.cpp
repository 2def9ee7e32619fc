#include "gui/run/run_process.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <csignal>

namespace rackwright::gui {
namespace {

/// The log shows no more lines than this.
constexpr qsizetype mostLines = 2000;

RunEnding endingOf(int exitCode) {
  switch (exitCode) {
    case 0: return RunEnding::completed;
    case 1: return RunEnding::gateFailed;
    case 2: return RunEnding::badInput;
    case 3: return RunEnding::environment;
    case 4: return RunEnding::cancelled;
    case 5: return RunEnding::stalled;
    default: return RunEnding::bug;
  }
}

}  // namespace

QString simulatorProgram() {
  const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("rackwright"));
  return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(QStringLiteral("rackwright"));
}

RunProcess::RunProcess(QObject* parent) : QObject(parent) {
  process_.setStandardOutputFile(QProcess::nullDevice());  // The run folder has the summary.
  process_.setProcessChannelMode(QProcess::SeparateChannels);
  connect(&process_, &QProcess::readyReadStandardError, this, &RunProcess::read);
  connect(&process_, &QProcess::started, this, &RunProcess::stateChanged);
  connect(&process_, &QProcess::finished, this, &RunProcess::finish);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    said_.push_back(tr("%1 cannot be started: %2").arg(process_.program(), process_.errorString()));
    Q_EMIT saidMore();
    Q_EMIT ended(RunEnding::notStarted, 0);
  });
}

RunProcess::~RunProcess() {
  if (!isRunning()) return;
  process_.disconnect(this);
  process_.kill();
  process_.waitForFinished(1000);
}

void RunProcess::start(const QString& program, const QString& scenario, const QString& outFolder, StepKeeping steps) {
  process_.setWorkingDirectory(QFileInfo(scenario).absolutePath());
  QStringList arguments{QStringLiteral("run"), scenario, QStringLiteral("--out"), outFolder, QStringLiteral("--progress"), QStringLiteral("json"),
                        QStringLiteral("--format"), QStringLiteral("json")};
  if (steps == StepKeeping::all) arguments.push_back(QStringLiteral("--steps"));
  process_.start(program, arguments);
}

void RunProcess::send(int signal) {
  if (process_.processId() > 0) ::kill(static_cast<pid_t>(process_.processId()), signal);
}

void RunProcess::pause() {
  if (!isRunning() || paused_) return;
  paused_ = true;
  send(SIGSTOP);
  Q_EMIT stateChanged();
}

void RunProcess::resume() {
  if (!paused_) return;
  paused_ = false;
  send(SIGCONT);
  Q_EMIT stateChanged();
}

void RunProcess::cancel() {
  if (!isRunning()) return;
  const bool again = std::exchange(cancelling_, true);
  send(again ? SIGKILL : SIGINT);
  if (paused_) resume();  // A stopped process hears nothing.
  else Q_EMIT stateChanged();
}

void RunProcess::read() {
  unread_ += process_.readAllStandardError();
  qsizetype begin = 0;
  for (qsizetype end = unread_.indexOf('\n'); end >= 0; end = unread_.indexOf('\n', begin)) {
    take(unread_.mid(begin, end - begin));
    begin = end + 1;
  }
  unread_.remove(0, begin);
}

void RunProcess::take(const QByteArray& line) {
  if (line.isEmpty()) return;
  if (const auto progress = parseProgress(line)) {
    progress_ = progress;
    Q_EMIT progressed();
    return;
  }
  if (said_.size() == mostLines) said_.removeFirst();
  said_.push_back(QString::fromUtf8(line));
  Q_EMIT saidMore();
}

QString RunProcess::lastDiagnostic() const {
  const auto isError = [](const QString& line) { return line.contains(QStringLiteral("error:")); };
  const auto error = std::find_if(said_.rbegin(), said_.rend(), isError);
  if (error != said_.rend()) return *error;
  return said_.isEmpty() ? QString() : said_.back();
}

void RunProcess::finish(int code, QProcess::ExitStatus status) {
  read();
  take(std::exchange(unread_, {}));
  paused_ = false;
  const bool killedByUs = cancelling_ && status == QProcess::CrashExit && (code == SIGKILL || code == SIGINT);
  const RunEnding ending = killedByUs ? RunEnding::cancelled : status == QProcess::CrashExit ? RunEnding::crashed : endingOf(code);
  Q_EMIT ended(ending, code);
  Q_EMIT stateChanged();
}

}  // namespace rackwright::gui
