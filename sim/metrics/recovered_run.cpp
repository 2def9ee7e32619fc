#include "sim/metrics/recovered_run.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"

namespace rackwright::metrics {
namespace {

/// The collectors of a run of which only the requests are known.
struct Rebuilt {
  explicit Rebuilt(const results::RunDescription& run) : summary(run, {}), timeline(run, {}) {}

  void add(const RequestOutcome& request) {
    summary.on_request(request);
    timeline.on_request(request);
    end.first_arrival = end.requests_total == 0 ? request.arrival : std::min(end.first_arrival, request.arrival);
    end.last_event = std::max({end.last_event, request.arrival, request.last_token});
    ++end.requests_total;
  }

  SummaryCollector summary;
  TimelineCollector timeline;
  RunEnd end;
};

}  // namespace

std::optional<RecoveredRun> recover_run(const std::filesystem::path& folder_or_stream, Diagnostics& diagnostics) {
  std::unique_ptr<Rebuilt> rebuilt;
  const auto on_requests = [&](const results::RunDescription& run, std::span<const RequestOutcome> requests) {
    if (!rebuilt) rebuilt = std::make_unique<Rebuilt>(run);
    for (const RequestOutcome& request : requests) rebuilt->add(request);
  };
  std::optional<results::RunRecord> record = results::read_run(folder_or_stream, diagnostics, on_requests);
  if (!record) return std::nullopt;
  RecoveredRun run{std::move(*record), {}};
  if (run.record.summary) {
    run.results = {*run.record.summary, run.record.timeline, run.record.curves};
    return run;
  }
  if (!rebuilt) rebuilt = std::make_unique<Rebuilt>(run.record.run);
  rebuilt->end.status = results::RunStatus::cancelled;
  rebuilt->end.status_reason = run.record.partial_reason;
  run.results = {rebuilt->summary.summary(rebuilt->end, {}), rebuilt->timeline.timeline(rebuilt->end),
                 rebuilt->summary.curves()};
  // Of steps nothing is known, so what comes from them is absent.
  run.results.summary.pools.clear();
  run.results.summary.it.reset();
  run.results.summary.stations.clear();
  std::erase_if(run.results.timeline.series, [](const results::TimelineSeries& series) {
    return series.key.starts_with("pools.") || series.key.starts_with("stations.") || series.key.ends_with("power_w");
  });
  return run;
}

}  // namespace rackwright::metrics
