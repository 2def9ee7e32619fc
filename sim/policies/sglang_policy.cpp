#include "sim/policies/sglang_policy.h"

#include <algorithm>

#include "sim/policies/decode_preemption.h"
#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;

void SglangPolicy::plan(Scheduler& scheduler) const {
  std::int32_t budget = options_.token_budget;
  std::int64_t spare = scheduler.kv().free() - scheduler.blocks_to_come();
  const auto prefill = [&](SequenceId id) {
    const std::int32_t tokens = std::min(scheduler.tokens_left_to_prefill(id), budget);
    scheduler.reserve(id, scheduler[id].computed + tokens);
    scheduler.prefill(id, tokens);
    budget -= tokens;
  };
  // At most one prompt is unfinished: the one that took the rest of the last prefill step's budget. Sequences whose KV
  // came from elsewhere may stand behind it.
  if (scheduler.prefilling_count() > 0) {
    SequenceId id = scheduler.last_running();
    while (scheduler[id].state != serving::SequenceState::prefilling) id = scheduler[id].previous;
    spare -= scheduler.blocks_lacking(id, tokens_at_end(scheduler[id]));
    prefill(id);
  }
  while (budget > 0 && scheduler.running_count() < options_.max_sequences) {
    const std::int64_t free = scheduler.kv().free();
    const SequenceId id = scheduler.next_to_admit();
    spare -= free - scheduler.kv().free();  // Taken for KV from lower tiers.
    if (id == no_sequence) break;
    const std::int64_t lacking = scheduler.blocks_lacking(id, tokens_at_end(scheduler[id]));
    if (lacking > spare) break;
    spare -= lacking;
    scheduler.admit(id);
    prefill(id);
  }
  if (scheduler.chunk_count() > 0) scheduler.pause_decodes();
}

bool SglangPolicy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences;
}

std::int64_t SglangPolicy::unpromised_blocks(const Scheduler& scheduler) const {
  std::int64_t spare = scheduler.kv().free() - scheduler.blocks_to_come();
  for (SequenceId id = scheduler.first_running(); id != no_sequence; id = scheduler[id].next) {
    if (scheduler[id].state == serving::SequenceState::prefilling) spare -= scheduler.blocks_lacking(id, tokens_at_end(scheduler[id]));
  }
  return spare;
}

std::int64_t SglangPolicy::tokens_to_receive(const Sequence& sequence) const { return tokens_at_end(sequence); }

metrics::Cause SglangPolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  const bool fits = scheduler.kv().blocks_for(tokens_at_end(sequence)) <= scheduler.kv().blocks();
  return fits ? metrics::Cause::none : metrics::Cause::kv_too_small;
}

}  // namespace rackwright::policies
