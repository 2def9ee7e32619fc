#pragma once

#include <QString>
#include <atomic>
#include <memory>
#include <vector>

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
  bool hasStepTrace = false;  ///< trace.json is there.
};

/// Reads a run folder, a partial one or a run.pb. Takes as long as it takes: call it outside the user interface's
/// thread. Gives up, with a problem, once `stopped`.
LoadedRun loadRun(const QString& path, const std::atomic<bool>& stopped);

}  // namespace rackwright::gui
