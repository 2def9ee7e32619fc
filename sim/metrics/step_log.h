#pragma once

#include "scenarios/results/steps_writer.h"
#include "sim/metrics/run_observer.h"

namespace rackwright::metrics {

/// Writes every step of a run as it is reported: a stretch that was jumped over as one, from which each step follows.
class StepLog final : public RunObserver {
 public:
  explicit StepLog(results::StepsWriter& writer) : writer_(writer) {}

  void on_stretch(const Stretch& stretch) override;

 private:
  results::StepsWriter& writer_;
};

/// What steps.pb says of a stretch.
results::StepStretch to_step_stretch(const Stretch& stretch);

}  // namespace rackwright::metrics
