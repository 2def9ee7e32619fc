#pragma once

#include <array>
#include <string>
#include <vector>

#include "scenarios/results/duration_curve.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/bound_tally.h"
#include "sim/metrics/chain_tally.h"
#include "sim/metrics/duration_distribution.h"
#include "sim/metrics/exposed_tally.h"
#include "sim/metrics/logged_tally.h"
#include "sim/metrics/pool_tally.h"
#include "sim/metrics/power_tally.h"
#include "sim/metrics/powered_intervals.h"
#include "sim/metrics/provenance_tally.h"
#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"
#include "sim/metrics/slo_tally.h"
#include "sim/metrics/station_tally.h"
#include "sim/metrics/voice_tally.h"

namespace rackwright::metrics {

/// Gathers everything that summary.json says from what a run reports.
///
/// Request counts are of the whole run. Latencies and objectives are of the requests that arrived in the
/// measured window; rates, utilization, energy and power of the window itself (a request's tokens count
/// where its last one falls). Memory: 8 bytes a request and metric up to a million, constant beyond.
class SummaryCollector final : public RunObserver {
 public:
  SummaryCollector(const results::RunDescription& run, const RunLayout& layout);

  void on_request(const RequestOutcome& request) override;
  void on_stretch(const Stretch& stretch) override;
  void on_token_gaps(const TokenGaps& gaps) override;
  void on_powered(const PoweredInterval& interval) override { powered_.add(interval); }
  void on_station_use(const StationUse& use) override;
  void on_station_job(const StationJob& job) override;

  /// Bytes that flows carried; the share in exposed communication is known from the stretches.
  void set_network(double bytes, std::vector<results::LinkLoad> links);

  results::RunSummary summary(const RunEnd& end, std::vector<std::string> warnings);
  /// Of the metrics that have values, for drawing.
  std::vector<results::DurationCurve> curves();

  std::int64_t requests_done() const { return counts_.completed + counts_.rejected + counts_.failed + counts_.cancelled; }

 private:
  void count(Outcome outcome);
  void count_powered(SimTime end);
  results::ItPower it_power(SimTime measured);
  void add_network(results::RunSummary& summary);

  const results::RunDescription run_;
  std::array<std::int64_t, results::cause_count> by_cause_{};
  const MeasureWindow window_;

  results::RequestCounts counts_;
  std::int64_t arrived_in_window_ = 0;
  DurationDistribution ttft_, tpot_, itl_, e2e_, queue_, kv_exposed_, first_visible_;
  Int128 kv_exposed_ps_ = 0;
  double quality_ = 0;  ///< Summed over finished requests.
  std::int64_t with_quality_ = 0;
  std::int64_t finished_ = 0;  ///< Completed inside the window.
  std::int64_t input_tokens_ = 0;
  std::int64_t output_tokens_ = 0;
  std::int64_t cache_hit_tokens_ = 0;
  std::int64_t cache_lookup_tokens_ = 0;
  SloTally slo_;
  LoggedTally logged_ttft_, logged_e2e_;

  std::optional<ChainTally> chains_;
  VoiceTally voice_;
  std::vector<StationTally> stations_;
  std::vector<PoolTally> pools_;
  std::vector<ExposedTally> exposed_;  ///< By pool.
  bool power_is_known_;
  PowerTally power_;
  PoweredIntervals powered_;
  ProvenanceTally provenance_;
  BoundTally bound_;
  std::optional<double> network_bytes_;
  std::vector<results::LinkLoad> links_;
};

}  // namespace rackwright::metrics
