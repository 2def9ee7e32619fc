#pragma once

#include <optional>

#include "models/base/time.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/duration_distribution.h"

namespace rackwright::metrics {

/// Compares simulated with observed latencies, request by request.
class LoggedTally {
 public:
  void add(SimTime simulated, SimTime logged) {
    if (logged.ps < 0) return;  // A clock of the log that ran backwards; the reader counts such rows.
    simulated_.add(simulated);
    logged_.add(logged);
    const SimTime error = simulated - logged;
    error_ps_ += error.ps;
    absolute_error_.add({error.ps < 0 ? -error.ps : error.ps});
  }

  std::optional<results::LoggedLatency> summary() {
    if (simulated_.count() == 0) return std::nullopt;
    return results::LoggedLatency{
        .requests = simulated_.count(),
        .simulated = simulated_.statistics(),
        .logged = logged_.statistics(),
        .mean_error_s = static_cast<double>(error_ps_) / static_cast<double>(simulated_.count()) / 1e12,
        .absolute_error = absolute_error_.statistics()};
  }

 private:
  DurationDistribution simulated_;
  DurationDistribution logged_;
  DurationDistribution absolute_error_;
  Int128 error_ps_ = 0;
};

}  // namespace rackwright::metrics
