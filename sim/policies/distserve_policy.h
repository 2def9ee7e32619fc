#pragma once

#include <cstdint>

#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

struct DistServeOptions {
  std::int32_t token_budget = 8192;   ///< Prompt tokens of one step at most (prefill_max_tokens).
  std::int32_t max_sequences = 1024;  ///< Running at most; the original knows no limit.
  std::int64_t context_budget = 0;    ///< KV tokens that the decodes of one step attend to at most (decode_max_tokens); 0: no limit.
};

/// The rules of DistServe's simulator (LLMServe/DistServe, simdistserve, of 2024), for instances that do all, prompts only or
/// decodes only. While prompts wait, a step computes whole ones in order of arrival, as many as the budget holds, and nobody
/// decodes. Else it takes decodes from the front of their queue until one does not fit the context budget; those that ran
/// come behind all others, also behind those that came meanwhile. KV that comes from a prefill instance is taken in at
/// once, not at the next boundary.
///
/// Memory is without end there. Here prompts wait for blocks, and where decodes lack some, the last in turn is computed anew.
class DistServePolicy final : public serving::SchedulerPolicy {
 public:
  explicit DistServePolicy(const DistServeOptions& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  bool may_admit(const serving::Scheduler& scheduler, serving::SequenceId id) const override;
  std::int32_t max_running() const override { return options_.max_sequences; }
  bool receives_at_once() const override { return true; }
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  void admit_prompts(serving::Scheduler& scheduler) const;
  void choose_decodes(serving::Scheduler& scheduler) const;

  DistServeOptions options_;
};

}  // namespace rackwright::policies
