#pragma once

#include <cstdint>

#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

struct OrcaOptions {
  std::int32_t max_sequences = 256;   ///< Running at most (Orca's max batch size).
  std::int32_t reserve_tokens = 0;    ///< KV tokens set aside for each request; 0 means its own input and output.
};

/// Orca (Yu et al., OSDI 2022): batches change every iteration, first come first served; an iteration mixes the decodes
/// with whole prompts of new requests. Memory for a request's greatest length is set aside when it is admitted, so that
/// nothing is ever preempted.
class OrcaPolicy final : public serving::SchedulerPolicy {
 public:
  explicit OrcaPolicy(const OrcaOptions& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  bool may_admit(const serving::Scheduler& scheduler, serving::SequenceId id) const override;
  std::int32_t max_running() const override { return options_.max_sequences; }
  std::int64_t tokens_to_receive(const serving::Sequence& sequence) const override;
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  std::int64_t reserved_tokens(const serving::Sequence& sequence) const;

  OrcaOptions options_;
};

}  // namespace rackwright::policies
