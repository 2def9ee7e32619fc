#pragma once

#include <QString>
#include <atomic>
#include <memory>
#include <vector>

#include "gui/run/step_blocks.h"
#include "scenarios/plots/plot.h"
#include "scenarios/results/run_folder.h"

namespace rackwright::gui {

using SharedRequests = std::shared_ptr<const std::vector<results::RequestOutcome>>;

/// A run folder, read whole: what the results show.
struct LoadedRun {
  QString folder;   ///< Or the stream itself, when that was opened.
  QString problem;  ///< Why there is no run; empty when there is one.
  results::RunRecord record;
  SharedRequests requests;
  std::vector<plots::PlotGroup> plots;
  bool hasReport = false;     ///< report.html is there.
  SharedSteps steps;          ///< Null when the run kept none.
  QString stepsProblem;       ///< Why they cannot be read, or end early.
  double end_s = 0;           ///< When the last thing happened that can be shown.
};

/// Reads a run folder, a partial one or a run.pb. Takes as long as it takes: call it outside the user interface's
/// thread. Gives up, with a problem, once `stopped`.
LoadedRun loadRun(const QString& path, const std::atomic<bool>& stopped);

}  // namespace rackwright::gui
