#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <optional>

#include "gui/run/stream_line.h"

namespace rackwright::gui {

/// How a simulator process ended. The first ones are its exit codes (architecture: the command).
enum class RunEnding { completed, gateFailed, badInput, environment, cancelled, stalled, bug, crashed, notStarted };

/// Whether a run keeps what each of its steps computed.
enum class StepKeeping { none, all };

/// One `rackwright run` as a process of its own: a crash of it cannot take the editor along.
class RunProcess final : public QObject {
  Q_OBJECT

 public:
  explicit RunProcess(QObject* parent = nullptr);
  /// Ends the process if it still runs.
  ~RunProcess() override;

  void start(const QString& program, const QString& scenario, const QString& outFolder, StepKeeping steps);
  /// Stops the process where it is, and lets it go on.
  void pause();
  void resume();
  /// Asks the simulator to finish what it has; a second time ends it at once.
  void cancel();

  bool isRunning() const { return process_.state() != QProcess::NotRunning; }
  bool isPaused() const { return paused_; }
  bool isCancelling() const { return cancelling_; }
  qint64 processId() const { return process_.processId(); }
  const std::optional<RunProgress>& progress() const { return progress_; }
  /// What the simulator said besides its progress, a line each, the latest ones.
  const QStringList& said() const { return said_; }
  /// The last error it named, or the last thing it said.
  QString lastDiagnostic() const;

 Q_SIGNALS:
  void progressed();
  void stateChanged();
  void saidMore();
  /// `code` is the exit code, or the signal that ended the process.
  void ended(rackwright::gui::RunEnding ending, int code);

 private:
  void read();
  void take(const QByteArray& line);
  void finish(int code, QProcess::ExitStatus status);
  void send(int signal);

  QProcess process_;
  QByteArray unread_;
  QStringList said_;
  std::optional<RunProgress> progress_;
  bool paused_ = false;
  bool cancelling_ = false;
};

/// The `rackwright` beside this program, or else the first on the PATH; empty when there is none.
QString simulatorProgram();

}  // namespace rackwright::gui
