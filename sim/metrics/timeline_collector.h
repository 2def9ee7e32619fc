#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scenarios/results/timeline.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/powered_intervals.h"
#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Gathers what went on in equal bins of time: rates, and power, batch, queue and KV use by rack and pool.
///
/// Each stretch is spread over its bins in closed form, in integers, so that neither jumping nor the order
/// of reports shows. Without a period given, bins of a second double until at most 2000 are needed, which
/// is max(1 s, duration / 2000) rounded up to a power of two.
/// Not seen: KV held and requests queued by an instance that does not step.
class TimelineCollector final : public RunObserver {
 public:
  static constexpr std::size_t most_bins = 2'000;

  TimelineCollector(const results::RunDescription& run, const RunLayout& layout, std::optional<SimTime> period = {});

  void on_request(const RequestOutcome& request) override;
  void on_stretch(const Stretch& stretch) override;
  void on_powered(const PoweredInterval& interval) override { powered_.add(interval); }
  void on_station_use(const StationUse& use) override;

  results::Timeline timeline(const RunEnd& end);

 private:
  enum PoolColumn { busy, sequences, waiting, kv_tokens, prefilled, decoded, clock_lost, powered, pool_columns };
  enum RunColumn { arrivals, completions, first_tokens, power, run_columns };

  std::size_t pool_column(std::size_t pool, PoolColumn column) const { return run_columns + pool * pool_columns + column; }
  std::size_t rack_column(std::size_t rack) const { return run_columns + run_.pools.size() * pool_columns + rack; }
  std::size_t station_column(std::size_t station) const { return rack_column(run_.racks.size()) + station; }
  std::size_t columns() const { return station_column(run_.stations.size()); }

  /// The bin that holds an instant; makes room for it.
  std::size_t bin_at(SimTime when);
  Int128& cell(std::size_t bin, std::size_t column) { return cells_[bin * columns() + column]; }
  void double_period();
  void add_power(std::size_t bin, const InstanceLayout& instance, SimTime length, std::int64_t above_mw);
  void add_powered(const PoweredInterval& interval);
  void add_part(const Stretch& stretch, std::size_t bin, SimTime from, SimTime to);
  void add_clock(std::string key, std::size_t pool, results::Timeline& timeline) const;

  const results::RunDescription run_;
  const RunLayout layout_;
  PoweredIntervals powered_;
  const bool fixed_period_;
  SimTime period_;
  std::vector<Int128> cells_;  ///< Row by row, a row for each bin.
  std::vector<std::int64_t> kv_capacity_tokens_;  ///< By pool, of one instance.
};

}  // namespace rackwright::metrics
