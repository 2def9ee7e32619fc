#pragma once

#include <algorithm>
#include <cstdint>

#include "scenarios/results/run_summary.h"
#include "sim/metrics/duration_distribution.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// How busy the devices of one station were, and what its jobs waited.
class StationTally {
 public:
  /// `length` is the part of the use that lies in the measured window.
  void add(const StationUse& use, SimTime length) {
    busy_ps_ += Int128{use.busy_workers} * length.ps;
    peak_memory_fraction_ = std::max(peak_memory_fraction_, use.memory_fraction);
  }
  /// A job that ended in the measured window.
  void add(const StationJob& job) {
    wait_.add(job.started - job.queued);
    work_.add(job.ended - job.started);
  }

  results::StationSummary summary(const results::StationDescription& station, SimTime measured) {
    results::StationSummary summary;
    summary.name = station.name;
    summary.device = station.device;
    summary.workers = std::int64_t{station.devices} * station.workers;
    summary.jobs = wait_.count();
    summary.busy_s = static_cast<double>(busy_ps_) / 1e12;
    const Int128 available = Int128{measured.ps} * summary.workers;
    if (available > 0) summary.utilization = static_cast<double>(busy_ps_) / static_cast<double>(available);
    if (wait_.count() > 0) {
      summary.wait_s = wait_.statistics();
      summary.job_s = work_.statistics();
    }
    summary.peak_memory_fraction = peak_memory_fraction_;
    return summary;
  }

 private:
  Int128 busy_ps_ = 0;
  double peak_memory_fraction_ = 0;
  DurationDistribution wait_, work_;
};

}  // namespace rackwright::metrics
