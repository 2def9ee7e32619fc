#pragma once

#include <vector>

#include "scenarios/results/run_description.h"
#include "sim/metrics/run_layout.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::test {

/// A small made-up run, to look at a report and to time the collectors: four instances behind a round
/// robin, Poisson arrivals with a rush in the middle, one token a step, a step of 8 ms and a little for each
/// sequence and prompt token. Its costs are invented; nothing is to be learned from its numbers.
class DemoRun {
 public:
  explicit DemoRun(int requests);

  const results::RunDescription& description() const { return description_; }
  const metrics::RunLayout& layout() const { return layout_; }
  /// Reports the run to the observers, in order of time, and returns its end.
  metrics::RunEnd report_to(const std::vector<metrics::RunObserver*>& observers) const;

 private:
  int requests_;
  results::RunDescription description_;
  metrics::RunLayout layout_;
};

}  // namespace rackwright::test
