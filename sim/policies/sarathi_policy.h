#pragma once

#include <cstdint>

#include "sim/serving/scheduler_policy.h"

namespace rackwright::policies {

/// hybrid: a step takes decodes and prompts together. alternating: steps of prompts and steps of decodes take turns ("chunked
/// prefills only" in Sarathi-Serve's table 4).
enum class StepKinds { hybrid, alternating };

struct SarathiOptions {
  std::int32_t token_budget = 512;     ///< "Chunk size": tokens of a step, decodes included (512 strict, 2048 relaxed).
  std::int32_t max_sequences = 128;    ///< Running at most.
  std::int64_t watermark_blocks = 0;   ///< Blocks that an admission leaves free.
  StepKinds steps = StepKinds::hybrid;
};

/// Sarathi-Serve (Agrawal et al., OSDI 2024), as its authors' simulator Vidur has it. A step takes all decodes, one token
/// each; then what the budget leaves goes to unfinished prompts in order of arrival, then to new requests, for as long as
/// the blocks of a whole prompt are free. Decodes therefore never wait for a prompt. A decode needs one free block even
/// when its last one has room; without one the latest sequence is preempted and computed anew.
class SarathiPolicy final : public serving::SchedulerPolicy {
 public:
  explicit SarathiPolicy(const SarathiOptions& options) : options_(options) {}

  void plan(serving::Scheduler& scheduler) const override;
  bool may_admit(const serving::Scheduler& scheduler, serving::SequenceId id) const override;
  std::int32_t max_running() const override { return options_.max_sequences; }
  metrics::Cause refuse(const serving::Scheduler& scheduler, const serving::Sequence& sequence) const override;

 private:
  void plan_prompts(serving::Scheduler& scheduler, std::int32_t budget) const;

  SarathiOptions options_;
};

}  // namespace rackwright::policies
