#pragma once

#include <algorithm>
#include <cmath>

#include "scenarios/results/run_summary.h"
#include "sim/metrics/int128.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// The nearest picosecond to a part of a step, which is never negative.
inline std::int64_t whole_ps(double seconds) { return seconds * 1e12 < 9e18 ? static_cast<std::int64_t>(seconds * 1e12 + 0.5) : SimTime::max().ps; }

/// What busy time waited for. Sums of whole picoseconds do not depend on where a stretch was cut.
class BoundTally {
 public:
  /// `busy` and `steps` are the stretch's inside the measured window.
  void add(const Stretch& stretch, SimTime busy, std::int64_t steps) {
    const cost::StepParts& parts = stretch.cost.parts;
    busy_ps_ += busy.ps;
    sm_clock_ps_ += Int128{whole_ps(parts.sm_clock_s)} * steps;
    link_ps_ += Int128{whole_ps(parts.link_s)} * steps;
    host_ps_ += Int128{whole_ps(parts.host_s)} * steps;
  }

  Int128 busy_ps() const { return busy_ps_; }
  Int128 link_ps() const { return link_ps_; }

  /// Absent when nothing was busy. As a stretch ages only its reading of KV grows, so memory is what the other parts leave.
  std::optional<results::BoundShares> shares() const {
    if (busy_ps_ == 0) return std::nullopt;
    const auto share = [&](Int128 part) { return static_cast<double>(part) / static_cast<double>(busy_ps_); };
    const Int128 memory = std::max<Int128>(0, busy_ps_ - sm_clock_ps_ - link_ps_ - host_ps_);
    return results::BoundShares{share(sm_clock_ps_), share(memory), share(link_ps_), share(host_ps_)};
  }

 private:
  Int128 busy_ps_ = 0, sm_clock_ps_ = 0, link_ps_ = 0, host_ps_ = 0;
};

}  // namespace rackwright::metrics
