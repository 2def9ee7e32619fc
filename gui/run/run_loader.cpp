#include "gui/run/run_loader.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <exception>
#include <stdexcept>

#include "gui/run/live_series.h"
#include "scenarios/plots/run_plots.h"

namespace rackwright::gui {
namespace {

class Stopped final : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("the run was closed before it was read") {}
};

/// A run without its end has no timeline and no curves: what was seen until then stands in for them.
std::vector<plots::PlotGroup> plotsUntilTheBreak(const results::RunRecord& record, const std::vector<results::RequestOutcome>& requests) {
  LiveSeries series(record.run);
  std::size_t next = 0;
  for (const results::LiveSample& sample : record.samples) {
    const std::size_t first = next;
    while (next < requests.size() && requests[next].last_token <= sample.at) ++next;
    series.add(std::span(requests).subspan(first, next - first));
    series.add(sample);
  }
  std::vector<plots::Plot> plots = series.plots();
  if (plots.empty()) return {};
  return {{"Until the break", std::move(plots)}};
}

void openSteps(const QString& file, LoadedRun& loaded, const std::atomic<bool>& stopped) {
  if (!QFileInfo::exists(file)) return;
  try {
    loaded.steps = std::make_shared<const results::StepsReader>(file.toStdString(), stopped);
    loaded.stepsProblem = QString::fromStdString(loaded.steps->partial_reason());
  } catch (const std::exception& problem) {
    loaded.stepsProblem = QString::fromUtf8(problem.what());
  }
}

}  // namespace

LoadedRun loadRun(const QString& path, const std::atomic<bool>& stopped) {
  LoadedRun loaded;
  loaded.folder = QFileInfo(path).absoluteFilePath();
  auto requests = std::make_shared<std::vector<results::RequestOutcome>>();
  try {
    Diagnostics findings;
    auto record = results::read_run(path.toStdString(), findings, [&](const results::RunDescription&, std::span<const results::RequestOutcome> rows) {
      if (stopped) throw Stopped();
      requests->insert(requests->end(), rows.begin(), rows.end());
    });
    if (!record) {
      loaded.problem = findings.all().empty() ? QCoreApplication::translate("RunLoader", "there is no run here") : QString::fromStdString(findings.all().front().message);
      return loaded;
    }
    loaded.record = std::move(*record);
    if (loaded.record.summary && !loaded.record.timeline.series.empty()) {
      loaded.plots = plots::run_plots(loaded.record.run, {*loaded.record.summary, loaded.record.timeline, loaded.record.curves});
    }
    if (loaded.plots.empty()) loaded.plots = plotsUntilTheBreak(loaded.record, *requests);
  } catch (const std::exception& problem) {
    loaded.problem = QString::fromUtf8(problem.what());
    return loaded;
  }
  loaded.requests = std::move(requests);
  if (QFileInfo(path).isDir()) {
    loaded.hasReport = QFileInfo::exists(QDir(path).filePath(QStringLiteral("report.html")));
    openSteps(QDir(path).filePath(QStringLiteral("steps.pb")), loaded, stopped);
  }
  SimTime end = loaded.steps ? loaded.steps->end() : SimTime{};
  for (const results::RequestOutcome& r : *loaded.requests) end = std::max(end, r.last_token);
  loaded.end_s = end.seconds();
  return loaded;
}

}  // namespace rackwright::gui
