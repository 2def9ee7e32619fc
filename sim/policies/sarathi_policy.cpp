#include "sim/policies/sarathi_policy.h"

#include <algorithm>

#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;
using serving::SequenceState;

namespace {

/// Preempts from the back until, in order of arrival, each decode finds a free block before it takes what it needs.
bool preempt_for_decodes(Scheduler& scheduler) {
  bool has_preempted = false;
  std::int64_t claimed = 0;
  for (SequenceId id = scheduler.first_running(); id != no_sequence;) {
    if (scheduler[id].state != SequenceState::decoding) {
      id = scheduler[id].next;
      continue;
    }
    const std::int32_t computed = scheduler.decodes().computed(id);
    while (scheduler.kv().free() - claimed < 1) {
      const SequenceId victim = scheduler.last_running();
      scheduler.preempt(victim);
      has_preempted = true;
      if (victim == id) return true;
    }
    claimed += scheduler.kv().blocks_for(computed + 1) - scheduler.kv().blocks_for(computed);
    id = scheduler[id].next;
  }
  return has_preempted;
}

}  // namespace

void SarathiPolicy::plan(Scheduler& scheduler) const {
  // With a block free beyond what all decodes take, each of them finds one.
  if (scheduler.free_blocks() >= 1) scheduler.plan_again_after(scheduler.decodes().steps_within(scheduler.kv().free() - 1));
  else {
    preempt_for_decodes(scheduler);
    scheduler.plan_again_after(1);
  }

  std::int32_t budget = options_.token_budget - scheduler.decodes().size();
  SequenceId id = scheduler.prefilling_count() == 0 ? no_sequence : scheduler.first_running();
  for (; id != no_sequence && budget > 0; id = scheduler[id].next) {
    if (scheduler[id].state != SequenceState::prefilling) continue;
    const std::int32_t tokens = std::min(scheduler.tokens_left_to_prefill(id), budget);
    scheduler.prefill(id, tokens);
    budget -= tokens;
  }

  while (budget > 0 && scheduler.running_count() < options_.max_sequences) {
    id = scheduler.first_waiting();
    if (id == no_sequence) break;
    const std::int32_t prompt = scheduler.tokens_left_to_prefill(id);
    if (scheduler.free_blocks() - scheduler.blocks_lacking(id, prompt) < options_.watermark_blocks) break;
    const std::int32_t tokens = std::min(prompt, budget);
    scheduler.admit(id);
    scheduler.reserve(id, prompt);
    scheduler.prefill(id, tokens);
    budget -= tokens;
  }
}

bool SarathiPolicy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences &&
         scheduler.decodes().size() < options_.token_budget;
}

metrics::Cause SarathiPolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  const std::int64_t tokens = std::int64_t{sequence.input_tokens} + sequence.output_tokens - 1;
  const std::int64_t spare = std::max<std::int64_t>(options_.watermark_blocks, sequence.output_tokens > 1 ? 1 : 0);
  return scheduler.kv().blocks_for(tokens) + spare > scheduler.kv().blocks() ? metrics::Cause::kv_too_small
                                                                             : metrics::Cause::none;
}

}  // namespace rackwright::policies
