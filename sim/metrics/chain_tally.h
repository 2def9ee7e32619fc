#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/duration_distribution.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/run_layout.h"

namespace rackwright::metrics {

/// Adds up the requests of each session.
///
/// Whether another request of a session will come is not known, so a session counts when an hour has passed without one,
/// or the run has ended; memory follows the sessions of an hour. One that lost a request does not count.
class ChainTally {
 public:
  explicit ChainTally(const MeasureWindow& window) : window_(window) {}

  void add(const results::RequestOutcome& request);
  /// Absent when there were none. Nothing is added afterwards.
  std::optional<results::ChainSummary> summary();

 private:
  struct Chain {
    SimTime first;
    SimTime last;
    std::int64_t calls = 0;
    SimTime model, model_queue, tool, tool_wait;
    bool is_lost = false;
  };
  void close(const Chain& chain);
  void close_before(SimTime when);

  const MeasureWindow window_;
  std::unordered_map<std::uint64_t, Chain> open_;
  std::deque<std::pair<SimTime, std::uint64_t>> touched_;  ///< Sessions by the end of a request of them.
  DurationDistribution e2e_;
  Int128 calls_ = 0;
  Int128 all_ps_ = 0, model_ps_ = 0, model_queue_ps_ = 0, tool_ps_ = 0, tool_wait_ps_ = 0;
};

}  // namespace rackwright::metrics
