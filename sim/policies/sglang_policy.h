#pragma once

#include <cstdint>

#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

struct SglangOptions {
  std::int32_t token_budget = 8192;   ///< Prompt tokens of one step (max_extend_tokens, chunked_prefill_size).
  std::int32_t max_sequences = 1024;  ///< Running at most.
};

/// SGLang in its plain form (mini-sglang's scheduler): a step computes prompts if any can be, else it runs all decodes.
/// The prompt that a step could only begin goes on first in the next. A request is admitted, in order, when what it may
/// still store and all that the admitted ones may still store fit into the free memory together; nothing is skipped, and
/// nothing is ever retracted. The test counts blocks, which with blocks of one token (SGLang's page) are tokens.
///
/// Not modelled: the adaptive ratio by which full SGLang discounts tokens to come, with the retractions that it may cost,
/// and mixed chunks.
class SglangPolicy final : public serving::SchedulerPolicy {
 public:
  explicit SglangPolicy(const SglangOptions& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  bool may_admit(const serving::Scheduler& scheduler, serving::SequenceId id) const override;
  std::int32_t max_running() const override { return options_.max_sequences; }
  std::int64_t unpromised_blocks(const serving::Scheduler& scheduler) const override;
  std::int64_t tokens_to_receive(const serving::Sequence& sequence) const override;
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  SglangOptions options_;
};

}  // namespace rackwright::policies
