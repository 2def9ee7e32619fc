#pragma once

#include <cstdint>

#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

struct StaticOptions {
  std::int32_t max_sequences = 64;  ///< Batch size at most.
};

/// Request-level batching (FasterTransformer): an idle instance takes as many waiting requests as fit, computes their
/// prompts in one step (or takes in their KV, where other instances do that), and decodes until the last of them has ended; only then it takes the next batch.
/// Not modelled: the work that such an engine does for rows that have ended; here they leave the batch.
class StaticPolicy final : public serving::SchedulerPolicy {
 public:
  explicit StaticPolicy(const StaticOptions& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  bool may_admit(const serving::Scheduler&, serving::SequenceId) const override { return false; }
  std::int32_t max_running() const override { return options_.max_sequences; }
  bool receives_while_running() const override { return false; }
  std::int64_t tokens_to_receive(const serving::Sequence& sequence) const override;
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  StaticOptions options_;
};

}  // namespace rackwright::policies
