#pragma once

#include <cstdint>

#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

/// How the prompts of one step count against the token budget: as they are, or as if all were as long as the longest
/// (vLLM before 0.4, which padded them).
enum class PromptCount { sum, padded };

struct PrefillFirstOptions {
  std::int32_t token_budget = 8192;   ///< max_num_batched_tokens: prompt tokens of one step at most.
  std::int32_t max_sequences = 256;   ///< max_num_seqs: running at most (vLLM v0's default).
  std::int64_t watermark_blocks = 0;  ///< Blocks that an admission leaves free (vLLM v0: 1 % of all).
  PromptCount prompt_count = PromptCount::sum;
};

/// vLLM v0 without chunked prefill: a step either computes whole prompts or runs all decodes, prompts first. While
/// requests keep coming that fit, nobody decodes. A decode asks for one free block each step; without one the latest
/// sequence is preempted and computed anew. Only recompute; v0 swaps groups of several sequences, which do not occur here.
class PrefillFirstPolicy final : public serving::SchedulerPolicy {
 public:
  explicit PrefillFirstPolicy(const PrefillFirstOptions& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  bool may_admit(const serving::Scheduler& scheduler, serving::SequenceId id) const override;
  std::int32_t max_running() const override { return options_.max_sequences; }
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  PrefillFirstOptions options_;
};

}  // namespace rackwright::policies
