#include "sim/policies/static_policy.h"

#include "sim/policies/decode_preemption.h"
#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;

void StaticPolicy::plan(Scheduler& scheduler) const {
  if (scheduler.running_count() > 0) return;
  while (scheduler.running_count() < options_.max_sequences) {
    const SequenceId id = scheduler.next_to_admit();
    if (id == no_sequence) break;
    const std::int64_t tokens = tokens_at_end(scheduler[id]);
    if (scheduler.blocks_lacking(id, tokens) > scheduler.kv().free()) break;
    scheduler.admit(id);
    scheduler.reserve(id, tokens);
    scheduler.prefill(id, scheduler.tokens_left_to_prefill(id));
  }
}

std::int64_t StaticPolicy::tokens_to_receive(const Sequence& sequence) const { return tokens_at_end(sequence); }

metrics::Cause StaticPolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  return scheduler.kv().blocks_for(tokens_at_end(sequence)) > scheduler.kv().blocks() ? metrics::Cause::kv_too_small : metrics::Cause::none;
}

}  // namespace rackwright::policies
