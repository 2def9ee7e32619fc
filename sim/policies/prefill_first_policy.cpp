#include "sim/policies/prefill_first_policy.h"

#include <algorithm>

#include "sim/policies/decode_preemption.h"
#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;

void PrefillFirstPolicy::plan(Scheduler& scheduler) const {
  std::int64_t prompts = 0;
  std::int64_t sum = 0;
  std::int64_t longest = 0;
  while (scheduler.running_count() < options_.max_sequences) {
    const SequenceId id = scheduler.next_to_admit();
    if (id == no_sequence) break;
    const std::int32_t prompt = scheduler[id].to_compute;
    const std::int32_t tokens = scheduler.tokens_left_to_prefill(id);
    const std::int64_t padded = (prompts + 1) * std::max<std::int64_t>(longest, tokens);
    if ((options_.prompt_count == PromptCount::padded ? padded : sum + tokens) > options_.token_budget) break;
    if (scheduler.kv().free() - scheduler.blocks_lacking(id, prompt) < options_.watermark_blocks) break;
    scheduler.admit(id);
    scheduler.reserve(id, prompt);
    scheduler.prefill(id, tokens);
    ++prompts;
    sum += tokens;
    longest = std::max<std::int64_t>(longest, tokens);
  }
  if (scheduler.prefilling_count() > 0) scheduler.pause_decodes();
  else preempt_until_decodes_have_a_block(scheduler);
}

bool PrefillFirstPolicy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences;
}

metrics::Cause PrefillFirstPolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  const std::int64_t spare = std::max<std::int64_t>(options_.watermark_blocks, sequence.output_tokens > 1 ? 1 : 0);
  if (scheduler.kv().blocks_for(tokens_at_end(sequence)) + spare > scheduler.kv().blocks()) return metrics::Cause::kv_too_small;
  return tokens_at_end(sequence) > options_.token_budget ? metrics::Cause::context_too_long : metrics::Cause::none;
}

}  // namespace rackwright::policies
