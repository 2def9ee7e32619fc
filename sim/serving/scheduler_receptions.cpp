// Sequences whose KV comes from elsewhere, and KV that outlives its sequence.
#include <algorithm>

#include "models/base/invariant.h"
#include "sim/serving/prefix_units.h"
#include "sim/serving/scheduler.h"
#include "sim/serving/scheduler_policy.h"

namespace rackwright::serving {

void Scheduler::expect(SequenceId id) {
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::expected;
  sequence.order = arrivals_++;
  expected_.push({rank(sequence), id});
}

bool Scheduler::may_receive() const {
  if (expected_.empty() || running_count_ >= policy_.max_running() || starved_ != nobody) return false;
  // Not what is promised to sequences that run, where a policy promises.
  return kv_.blocks_for(policy_.tokens_to_receive(pool_[expected_.front().sequence])) <=
         std::min(free_blocks(), policy_.unpromised_blocks(*this));
}

// An engine's host has its hands free while a step runs. Those who wait here would have been asked first at the boundary,
// and a policy that forms batches forms them there.
void Scheduler::reserve_at_once(SimTime now) {
  reception_starts_.clear();
  if (!policy_.receives_while_running()) return;
  if (waiting_.empty() && !expected_.empty() && pool_[expected_.front().sequence].emitted == 0) start_receptions(now);
}

// As with other admissions, a step that had to preempt takes nobody in.
void Scheduler::start_receptions(SimTime now) {
  reception_starts_.clear();
  if (running_count_ > 0 && !policy_.receives_while_running()) return;
  while (!has_preempted_ && may_receive()) {
    reception_starts_.push_back(start_reception(now));
    batch_->plan_limit = 1;  // The policy counted on these blocks.
  }
}

SequenceId Scheduler::start_reception(SimTime now) {
  const SequenceId id = expected_.remove(expected_.front().sequence).sequence;
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::receiving;
  sequence.fetched_since = now;
  const auto blocks = static_cast<std::int32_t>(kv_.blocks_for(policy_.tokens_to_receive(sequence)));
  kv_.take(blocks);
  ++running_count_;
  if (sequence.emitted > 0) {
    sequence.blocks = blocks;
    tokens_outside_ += sequence.computed;
  } else {
    sequence.reserved_blocks = blocks;
  }
  return id;
}

bool Scheduler::take_in(SequenceId id, SimTime now) {
  expect(id);
  if (expected_.front().sequence != id || !may_receive()) return false;
  start_reception(now);
  return true;
}

int Scheduler::idle_count() const {
  int held = 0;
  for (const MicroBatch& batch : batches_) held += batch.running_count - batch.prefilling_count - batch.decodes.size();
  return held + static_cast<int>(expected_.size());
}

void Scheduler::claim_reservation(SequenceId id) {
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::receiving;
  sequence.blocks = sequence.reserved_blocks;
  sequence.reserved_blocks = 0;
  tokens_outside_ += sequence.computed;
}

void Scheduler::drop_reservation(SequenceId id) {
  --running_count_;
  kv_.give_back(pool_[id].reserved_blocks);
  pool_[id].reserved_blocks = 0;
}

void Scheduler::receive(SequenceId id) {
  const auto smallest = std::ranges::min_element(batches_, {}, &MicroBatch::running_count);
  pool_[id].state = SequenceState::held;
  pool_[id].micro_batch = static_cast<std::uint16_t>(smallest - batches_.begin());
  smallest->append(pool_, id);
  smallest->received.push_back(id);
}

std::uint32_t Scheduler::hold_kv(SequenceId id) {
  Sequence& sequence = pool_[id];
  MicroBatch& batch = batch_of(sequence);
  if (starved_ != nobody && rank(sequence) == starved_) starved_ = nobody;
  if (sequence.state == SequenceState::decoding) hold(id);
  if (sequence.state == SequenceState::prefilling) {
    --batch.prefilling_count;
    prompt_tokens_ -= tokens_left_to_prefill(id);
  }
  batch.unlink(pool_, id);
  --running_count_;
  tokens_outside_ -= sequence.computed;
  if (free_holds_.empty()) {
    free_holds_.push_back(static_cast<std::uint32_t>(holds_.size()));
    holds_.emplace_back();
  }
  const std::uint32_t number = free_holds_.back();
  free_holds_.pop_back();
  KvHold& kept = holds_[number];
  const auto shared = std::ranges::count_if(sequence.units, [](KvCache::Unit unit) { return unit != KvCache::no_unit; });
  kept.blocks = sequence.blocks - shared * PrefixUnits(sequence, kv_.layout()).blocks;
  kept.units.swap(sequence.units);
  sequence.blocks = 0;
  return number;
}

// The end of the prompt is freed, and therefore evicted, before its beginning.
void Scheduler::release_kv(std::uint32_t number) {
  KvHold& kept = holds_[number];
  kv_.give_back(kept.blocks);
  for (; !kept.units.empty(); kept.units.pop_back())
    if (kept.units.back() != KvCache::no_unit) kv_.drop(kept.units.back());
  free_holds_.push_back(number);
}

// Of a sequence that does not run.
void Scheduler::release_blocks(Sequence& sequence) {
  const auto shared = std::ranges::count_if(sequence.units, [](KvCache::Unit unit) { return unit != KvCache::no_unit; });
  kv_.give_back(sequence.blocks - shared * PrefixUnits(sequence, kv_.layout()).blocks);
  for (; !sequence.units.empty(); sequence.units.pop_back())
    if (sequence.units.back() != KvCache::no_unit) kv_.drop(sequence.units.back());
  sequence.blocks = 0;
}

}  // namespace rackwright::serving
