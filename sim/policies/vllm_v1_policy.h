#pragma once

#include <cstdint>

#include "sim/policies/queue_order.h"
#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

/// The options of vLLM's v1 scheduler (vllm/config/scheduler.py); defaults as its API server takes them on a GPU with
/// at least 70 GiB (engine/arg_utils.py).
struct VllmV1Options {
  std::int32_t token_budget = 8192;        ///< max_num_batched_tokens: tokens that a step computes at most.
  std::int32_t max_sequences = 1024;       ///< max_num_seqs: running at most.
  std::int32_t long_prefill_threshold = 0; ///< long_prefill_token_threshold: a chunk's most tokens; 0 means no limit.
  std::int64_t watermark_blocks = 0;       ///< Blocks that an admission leaves free when the step has work already.
  bool chunked_prefill = true;
  QueueOrder order = QueueOrder::arrival;
};

/// vLLM v1, `Scheduler.schedule()`. Each step has one token budget. Running sequences come first, in the order of their
/// admission: a decode takes one token, an unfinished prompt as many as budget and threshold allow. A sequence whose KV
/// blocks are not free preempts the last running one (under another order the one that it would admit last): it loses all its blocks, is computed anew later, and keeps its place in the queue. When nothing was
/// preempted, waiting sequences are admitted in order while sequences, budget and blocks last; none is skipped.
///
/// Not modelled here: encoder budgets, LoRA limits, structured-output waits, lookahead slots of speculation.
class VllmV1Policy final : public serving::SchedulerPolicy {
 public:
  explicit VllmV1Policy(const VllmV1Options& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  std::int64_t queue_key(const serving::Sequence& sequence) const override;
  bool may_admit(const serving::Scheduler& scheduler, serving::SequenceId id) const override;
  std::int32_t max_running() const override { return options_.max_sequences; }
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  struct Step;

  std::int32_t chunk(std::int32_t tokens, std::int32_t budget) const;
  bool plan_running_at_once(serving::Scheduler& scheduler, Step& step) const;
  void plan_running_in_order(serving::Scheduler& scheduler, Step& step) const;
  void admit_waiting(serving::Scheduler& scheduler, Step& step) const;
  serving::SequenceId victim(const serving::Scheduler& scheduler) const;

  VllmV1Options options_;
};

}  // namespace rackwright::policies
