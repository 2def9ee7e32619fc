#include "sim/policies/decode_preemption.h"

#include <algorithm>

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::SequenceId;
using serving::SequenceState;

bool preempt_until_decodes_have_a_block(Scheduler& scheduler) {
  // With a block free beyond what all decodes take, each of them finds one.
  if (scheduler.free_blocks() >= 1) {
    scheduler.plan_again_after(scheduler.decodes().steps_within(scheduler.kv().free() - 1));
    return false;
  }
  scheduler.plan_again_after(1);
  bool has_preempted = false;
  std::int64_t claimed = 0;
  for (SequenceId id = scheduler.first_running(); id != no_sequence; id = scheduler[id].next) {
    if (scheduler[id].state != SequenceState::decoding) continue;
    const std::int32_t computed = scheduler.decodes().computed(id);
    // More than one where a sequence speculates.
    const std::int64_t takes =
        scheduler.kv().blocks_for(computed + scheduler.decoded_tokens(id)) - scheduler.kv().blocks_for(computed);
    while (scheduler.kv().free() - claimed < std::max<std::int64_t>(takes, 1)) {
      const SequenceId victim = scheduler.last_running();
      if (victim == id && scheduler.later_runs_elsewhere(id)) {
        scheduler.wait_for_memory(id);
        return true;
      }
      scheduler.preempt(victim);
      has_preempted = true;
      if (victim == id) return true;
    }
    claimed += takes;
  }
  return has_preempted;
}

}  // namespace rackwright::policies
