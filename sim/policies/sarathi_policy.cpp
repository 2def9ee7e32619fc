#include "sim/policies/sarathi_policy.h"

#include <algorithm>

#include "sim/policies/decode_preemption.h"
#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;
using serving::SequenceState;

void SarathiPolicy::plan(Scheduler& scheduler) const {
  if (options_.steps == StepKinds::hybrid) {
    preempt_until_decodes_have_a_block(scheduler);
    plan_prompts(scheduler, options_.token_budget - scheduler.decodes().size() * scheduler.tokens_per_decode());
    return;
  }
  const bool is_turn_of_decodes = scheduler.follows_prompts() && !scheduler.decodes().empty();
  if (!is_turn_of_decodes) plan_prompts(scheduler, options_.token_budget);
  if (scheduler.chunk_count() > 0) {
    scheduler.pause_decodes();
    return;
  }
  preempt_until_decodes_have_a_block(scheduler);
  if (is_turn_of_decodes) scheduler.plan_again_within(1);
}

void SarathiPolicy::plan_prompts(Scheduler& scheduler, std::int32_t budget) const {
  SequenceId id = scheduler.prefilling_count() == 0 ? no_sequence : scheduler.first_running();
  for (; id != no_sequence && budget > 0; id = scheduler[id].next) {
    if (scheduler[id].state != SequenceState::prefilling) continue;
    const std::int32_t tokens = std::min(scheduler.tokens_left_to_prefill(id), budget);
    scheduler.prefill(id, tokens);
    budget -= tokens;
  }

  while (budget > 0 && scheduler.running_count() < options_.max_sequences) {
    id = scheduler.next_to_admit();
    if (id == no_sequence) break;
    const std::int32_t prompt = scheduler[id].to_compute;
    if (scheduler.free_blocks() - scheduler.blocks_lacking(id, prompt) < options_.watermark_blocks) break;
    const std::int32_t tokens = std::min(scheduler.tokens_left_to_prefill(id), budget);
    scheduler.admit(id);
    scheduler.reserve(id, prompt);
    scheduler.prefill(id, tokens);
    budget -= tokens;
  }
}

bool SarathiPolicy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences &&
         scheduler.decodes().size() * scheduler.tokens_per_decode() < options_.token_budget;
}

metrics::Cause SarathiPolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  const std::int64_t spare = std::max<std::int64_t>(options_.watermark_blocks, sequence.output_tokens > 1 ? 1 : 0);
  const bool fits = scheduler.kv().blocks_for(tokens_at_end(sequence)) + spare <= scheduler.kv().blocks();
  return fits ? metrics::Cause::none : metrics::Cause::kv_too_small;
}

}  // namespace rackwright::policies
