#include "sim/policies/orca_policy.h"

#include <algorithm>

#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;

std::int64_t OrcaPolicy::reserved_tokens(const Sequence& sequence) const {
  const std::int64_t own = std::int64_t{sequence.input_tokens} + sequence.output_tokens;
  return std::max<std::int64_t>(own, options_.reserve_tokens);
}

void OrcaPolicy::plan(Scheduler& scheduler) const {
  while (scheduler.running_count() < options_.max_sequences) {
    const SequenceId id = scheduler.next_to_admit();
    if (id == no_sequence) break;
    const std::int64_t tokens = reserved_tokens(scheduler[id]);
    if (scheduler.blocks_lacking(id, tokens) > scheduler.kv().free()) break;
    scheduler.admit(id);
    scheduler.reserve(id, tokens);
    scheduler.prefill(id, scheduler.tokens_left_to_prefill(id));
  }
}

bool OrcaPolicy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences;
}

std::int64_t OrcaPolicy::tokens_to_receive(const Sequence& sequence) const { return reserved_tokens(sequence); }

metrics::Cause OrcaPolicy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  const bool fits = scheduler.kv().blocks_for(reserved_tokens(sequence)) <= scheduler.kv().blocks();
  return fits ? metrics::Cause::none : metrics::Cause::kv_too_small;
}

}  // namespace rackwright::policies
