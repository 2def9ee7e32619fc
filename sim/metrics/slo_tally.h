#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_summary.h"
#include "sim/metrics/duration_distribution.h"

namespace rackwright::metrics {

/// Judges requests by the objectives of their class.
///
/// A request meets its class when it completed and each of its own values is within the limit, whatever
/// quantile the objective names; with fewer than two output tokens it has no TPOT and meets that one.
/// Requests that were rejected, failed or cancelled count as not met. An objective without any value is met as long as
/// its class lost no request so.
class SloTally {
 public:
  explicit SloTally(const std::vector<results::RequestClass>& classes);
  void add(const results::RequestOutcome& request);
  /// Absent when no class has an objective. `duration_s` is what goodput is taken over.
  std::optional<results::SloSummary> summary(double duration_s);

 private:
  struct TargetTally {
    results::SloTarget target;
    DurationDistribution values;
  };
  struct ClassTally {
    std::string name;
    std::vector<TargetTally> targets;
    std::int64_t lost = 0;  ///< Requests that did not complete.
  };

  std::vector<ClassTally> classes_;
  bool any_target_ = false;
  std::int64_t judged_ = 0;
  std::int64_t met_ = 0;
};

}  // namespace rackwright::metrics
