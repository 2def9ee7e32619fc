#pragma once

#include <array>

#include "scenarios/results/run_summary.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Communication of one pool that nothing hid, and of how much busy time, by phase. A step that computes any prompt tokens
/// is one of prefill.
class ExposedTally {
 public:
  /// `busy` and `steps` are the stretch's inside the measured window; `link_ps` is of one step.
  void add(const Stretch& stretch, SimTime busy, std::int64_t steps, std::int64_t link_ps) {
    Phase& phase = phases_[stretch.prefill_tokens > 0 ? prefill : decode];
    phase.busy_ps += busy.ps;
    phase.exposed_ps += Int128{link_ps} * steps;
  }

  bool any() const { return phases_[prefill].exposed_ps + phases_[decode].exposed_ps > 0; }

  results::PoolCommunication summary(const std::string& pool) const {
    results::PoolCommunication summary;
    summary.name = pool;
    const Phase both{phases_[prefill].busy_ps + phases_[decode].busy_ps, phases_[prefill].exposed_ps + phases_[decode].exposed_ps};
    summary.all = both.summary();
    if (phases_[prefill].busy_ps > 0) summary.prefill = phases_[prefill].summary();
    if (phases_[decode].busy_ps > 0) summary.decode = phases_[decode].summary();
    return summary;
  }

 private:
  enum PhaseIndex { prefill, decode };
  struct Phase {
    Int128 busy_ps = 0;
    Int128 exposed_ps = 0;
    results::ExposedCommunication summary() const {
      return {static_cast<double>(exposed_ps) / 1e12, busy_ps > 0 ? static_cast<double>(exposed_ps) / static_cast<double>(busy_ps) : 0};
    }
  };
  std::array<Phase, 2> phases_;
};

}  // namespace rackwright::metrics
