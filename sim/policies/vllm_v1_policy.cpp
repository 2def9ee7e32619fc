#include "sim/policies/vllm_v1_policy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/policies/decode_preemption.h"
#include "sim/serving/scheduler.h"

namespace rackwright::policies {

using serving::no_sequence;
using serving::Scheduler;
using serving::Sequence;
using serving::SequenceId;
using serving::SequenceState;

struct VllmV1Policy::Step {
  std::int32_t budget = 0;
  bool has_work = false;
  bool has_preempted = false;
};

void VllmV1Policy::plan(Scheduler& scheduler) const {
  Step step{options_.token_budget};
  if (!plan_running_at_once(scheduler, step)) plan_running_in_order(scheduler, step);
  if (step.has_preempted) scheduler.plan_again_after(1);  // The next step may admit again.
  else admit_waiting(scheduler, step);
}

std::int32_t VllmV1Policy::chunk(std::int32_t tokens, std::int32_t budget) const {
  const std::int32_t limit = options_.long_prefill_threshold > 0 ? options_.long_prefill_threshold : tokens;
  return std::min({tokens, limit, budget});
}

// The common case, in which the order of the running sequences does not matter: every decode runs, prompts come after
// them, and all blocks are free. Changes nothing and returns false otherwise.
bool VllmV1Policy::plan_running_at_once(Scheduler& scheduler, Step& step) const {
  const std::int32_t decodes = scheduler.decodes().size() * scheduler.tokens_per_decode();
  if (scheduler.held_count() > 0 || decodes > step.budget || !scheduler.prefills_come_last()) return false;
  SequenceId first = scheduler.last_running();
  for (int i = 1; i < scheduler.prefilling_count(); ++i) first = scheduler[first].previous;

  const auto each_chunk = [&](auto act) {
    std::int32_t budget = step.budget - decodes;
    SequenceId id = scheduler.prefilling_count() == 0 ? no_sequence : first;
    for (; id != no_sequence && budget > 0; id = scheduler[id].next) {
      const std::int32_t tokens = chunk(scheduler.tokens_left_to_prefill(id), budget);
      act(id, tokens);
      budget -= tokens;
    }
    return budget;
  };
  std::int64_t lacking = 0;
  each_chunk([&](SequenceId id, std::int32_t tokens) { lacking += scheduler.blocks_lacking(id, scheduler[id].computed + tokens); });
  if (lacking > scheduler.free_blocks()) return false;
  step.budget = each_chunk([&](SequenceId id, std::int32_t tokens) {
    scheduler.reserve(id, scheduler[id].computed + tokens);
    scheduler.prefill(id, tokens);
  });
  step.has_work = scheduler.running_count() > 0;
  return true;
}

void VllmV1Policy::plan_running_in_order(Scheduler& scheduler, Step& step) const {
  struct Share {
    SequenceId sequence;
    std::int32_t tokens;
    std::int64_t blocks;
  };
  std::vector<Share> shares;
  std::int64_t claimed = 0;
  bool stopped = false;
  for (SequenceId id = scheduler.first_running(); id != no_sequence && step.budget > 0 && !stopped;) {
    const Sequence& sequence = scheduler[id];
    const bool decodes = sequence.state == SequenceState::decoding;
    const bool prefills = sequence.state == SequenceState::prefilling;
    const std::int32_t computed = decodes ? scheduler.decodes().computed(id) : sequence.computed;
    const std::int32_t tokens = prefills ? chunk(scheduler.tokens_left_to_prefill(id), step.budget) : scheduler.tokens_per_decode();
    const std::int32_t kept = prefills ? tokens : scheduler.decoded_tokens(id);
    const std::int64_t blocks = decodes ? scheduler.kv().blocks_for(computed + kept) - scheduler.kv().blocks_for(computed)
                                        : scheduler.blocks_lacking(id, computed + kept);
    SequenceId next = sequence.next;
    while (blocks > scheduler.kv().free() - claimed && !stopped) {
      const SequenceId loser = victim(scheduler);
      if (loser == id && scheduler.later_runs_elsewhere(id)) {
        scheduler.wait_for_memory(id);
        step.has_preempted = stopped = true;
        break;
      }
      const auto share = std::ranges::find(shares, loser, &Share::sequence);
      if (share != shares.end()) {
        step.budget += share->tokens;
        claimed -= share->blocks;
        shares.erase(share);
      }
      if (loser == next) next = scheduler[next].next;
      scheduler.preempt(loser);
      step.has_preempted = true;
      stopped = loser == id;
    }
    if (!stopped) {
      shares.push_back({id, tokens, blocks});
      claimed += blocks;
      step.budget -= tokens;
    }
    id = next;
  }

  auto share = shares.begin();
  for (SequenceId id = scheduler.first_running(); id != no_sequence; id = scheduler[id].next) {
    const SequenceState state = scheduler[id].state;
    const bool runs = share != shares.end() && share->sequence == id;
    if (runs && state == SequenceState::prefilling) {
      scheduler.reserve(id, scheduler[id].computed + share->tokens);
      scheduler.prefill(id, share->tokens);
    }
    if (runs && state == SequenceState::held) scheduler.resume(id);
    if (!runs && state == SequenceState::decoding) scheduler.hold(id);
    if (runs) ++share;
  }
  step.has_work = !shares.empty();
}

void VllmV1Policy::admit_waiting(Scheduler& scheduler, Step& step) const {
  while (scheduler.running_count() < options_.max_sequences && step.budget > 0) {
    const SequenceId id = scheduler.next_to_admit();
    if (id == no_sequence) break;
    const std::int32_t left = scheduler.tokens_left_to_prefill(id);
    if (!options_.chunked_prefill && left > step.budget) break;
    const std::int32_t tokens = chunk(left, step.budget);
    const std::int64_t spared = step.has_work ? options_.watermark_blocks : 0;
    if (scheduler.blocks_lacking(id, scheduler[id].computed + tokens) + spared > scheduler.free_blocks()) break;
    scheduler.admit(id);
    scheduler.reserve(id, scheduler[id].computed + tokens);
    scheduler.prefill(id, tokens);
    step.budget -= tokens;
    step.has_work = true;
  }
}

SequenceId VllmV1Policy::victim(const Scheduler& scheduler) const {
  SequenceId worst = scheduler.last_running();
  if (options_.order == QueueOrder::arrival) return worst;
  for (SequenceId id = worst; id != no_sequence; id = scheduler[id].previous) {
    const Sequence& a = scheduler[id];
    const Sequence& b = scheduler[worst];
    if (std::pair(queue_key(a), a.order) > std::pair(queue_key(b), b.order)) worst = id;
  }
  return worst;
}

std::int64_t VllmV1Policy::queue_key(const Sequence& sequence) const {
  switch (options_.order) {
    case QueueOrder::arrival: return 0;
    case QueueOrder::priority: return sequence.priority;
    case QueueOrder::deadline: return sequence.deadline.ps;
  }
  return 0;
}

bool VllmV1Policy::may_admit(const Scheduler& scheduler, SequenceId id) const {
  return id == scheduler.first_waiting() && scheduler.running_count() < options_.max_sequences &&
         scheduler.decodes().size() * scheduler.tokens_per_decode() < options_.token_budget;
}

metrics::Cause VllmV1Policy::refuse(const Scheduler& scheduler, const Sequence& sequence) const {
  if (scheduler.kv().blocks_for(tokens_at_end(sequence)) > scheduler.kv().blocks()) return metrics::Cause::kv_too_small;
  // A preempted sequence computes what it had emitted as part of its prompt.
  if (!options_.chunked_prefill && tokens_at_end(sequence) > options_.token_budget) return metrics::Cause::context_too_long;
  return metrics::Cause::none;
}

}  // namespace rackwright::policies
