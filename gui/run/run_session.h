#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>

#include "gui/run/run_follower.h"
#include "gui/run/run_loader.h"
#include "gui/run/run_process.h"

namespace rackwright::gui {

/// How a run stands, told apart in this one place.
enum class RunStanding {
  starting,
  running,
  paused,
  cancelling,
  loading,     ///< A folder is being read.
  finished,    ///< Whole.
  cancelled,   ///< By the user; what was simulated until then is here.
  stalled,     ///< Stopped by the watchdog.
  partial,     ///< A folder without its end, of a run that nobody here started.
  failed,      ///< The simulator refused: bad input, or something in its surroundings.
  crashed,     ///< The simulator died.
  unreadable,  ///< There is no run, or one that this version cannot read.
};

/// One run in the window: started here, or a folder of an earlier one.
class RunSession final : public QObject {
  Q_OBJECT

 public:
  explicit RunSession(QObject* parent = nullptr);
  ~RunSession() override;

  /// Simulates a scenario file into a folder that must not exist yet.
  void start(const QString& program, const QString& scenario, const QString& outFolder, StepKeeping steps = StepKeeping::none);
  /// Opens a run folder, a partial one or a run.pb.
  void open(const QString& path);

  RunStanding standing() const { return standing_; }
  bool isActive() const { return process_.isRunning(); }
  /// The state in a few words, and in a sentence with the last diagnostic or the reason.
  QString headline() const;
  QString detail() const { return detail_; }
  QString title() const;
  /// Where the results lie: the final folder, or the partial one.
  const QString& folder() const { return folder_; }

  RunProcess& process() { return process_; }
  /// Null until something was seen of the run.
  const std::shared_ptr<const LiveView>& live() const { return live_; }
  /// Null until the folder was read.
  const std::shared_ptr<const LoadedRun>& results() const { return results_; }

 Q_SIGNALS:
  void standingChanged();
  void liveChanged();
  void resultsChanged();

 private:
  void setStanding(RunStanding standing, const QString& detail = {});
  void take(RunEnding ending, int code);
  void load(const QString& path, RunStanding afterwards, const QString& detail);
  void settle(std::shared_ptr<const LoadedRun> loaded, RunStanding afterwards, const QString& detail);

  RunProcess process_;
  RunFollower follower_;
  RunStanding standing_ = RunStanding::loading;
  QString detail_;
  QString folder_;
  std::shared_ptr<const LiveView> live_;
  std::shared_ptr<const LoadedRun> results_;
  std::shared_ptr<std::atomic<bool>> stopLoading_;
};

/// Whether nothing more comes of it by itself.
bool isOver(RunStanding standing);

}  // namespace rackwright::gui
