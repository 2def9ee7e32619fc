#include "sim/policies/distserve_policy.h"

#include <algorithm>

#include "sim/policies/decode_preemption.h"
#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;
using serving::SequenceState;

void DistServePolicy::plan(Scheduler& scheduler) const {
  // The list of running sequences is the decode queue: those of the last step go behind the others.
  if (!scheduler.follows_prompts()) scheduler.rotate_decodes();
  admit_prompts(scheduler);
  if (scheduler.chunk_count() > 0) {
    scheduler.pause_decodes();
    return;
  }
  if (options_.context_budget > 0) choose_decodes(scheduler);
  preempt_until_decodes_have_a_block(scheduler);
  if (options_.context_budget > 0 && !scheduler.decodes().empty()) {
    // Contexts of n decodes grow by n tokens a step. With others held back, every step has its own decodes.
    const std::int64_t spare = options_.context_budget - scheduler.decodes().context_tokens();
    const std::int64_t steps = scheduler.held_count() > 0 ? 1 : std::max<std::int64_t>(spare, 0) / scheduler.decodes().size() + 1;
    scheduler.plan_again_within(steps);
  }
}

void DistServePolicy::admit_prompts(Scheduler& scheduler) const {
  std::int64_t budget = options_.token_budget;
  while (scheduler.running_count() < options_.max_sequences) {
    const SequenceId id = scheduler.next_to_admit();
    if (id == no_sequence) return;
    const std::int32_t prompt = scheduler[id].to_compute;
    const std::int32_t tokens = scheduler.tokens_left_to_prefill(id);
    if (tokens > budget || scheduler.blocks_lacking(id, prompt) > scheduler.kv().free()) return;
    scheduler.admit(id);
    scheduler.reserve(id, prompt);
    scheduler.prefill(id, tokens);
    budget -= tokens;
  }
}

void DistServePolicy::choose_decodes(Scheduler& scheduler) const {
  std::int64_t left = options_.context_budget;
  bool fits = true;
  for (SequenceId id = scheduler.first_running(); id != no_sequence; id = scheduler[id].next) {
    const Sequence& sequence = scheduler[id];
    const bool decodes = sequence.state == SequenceState::decoding;
    if (!decodes && (sequence.state != SequenceState::held || scheduler.is_taken_back(id))) continue;
    const std::int64_t context = (decodes ? scheduler.decodes().computed(id) : sequence.computed) + 1;
    fits = fits && context <= left;
    if (fits) left -= context;
    if (fits && !decodes) scheduler.resume(id);
    if (!fits && decodes) scheduler.hold(id);
  }
}

bool DistServePolicy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences;
}

metrics::Cause DistServePolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  const std::int64_t spare = sequence.output_tokens > 1 ? 1 : 0;
  if (scheduler.kv().blocks_for(tokens_at_end(sequence)) + spare > scheduler.kv().blocks()) return metrics::Cause::kv_too_small;
  const bool exceeds_prompt = sequence.input_tokens > options_.token_budget;
  const bool exceeds_context = options_.context_budget > 0 && sequence.output_tokens > 1 && tokens_at_end(sequence) > options_.context_budget;
  return exceeds_prompt || exceeds_context ? metrics::Cause::context_too_long : metrics::Cause::none;
}

}  // namespace rackwright::policies
