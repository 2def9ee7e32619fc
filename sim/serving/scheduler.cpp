#include "sim/serving/scheduler.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "sim/serving/scheduler_policy.h"

namespace rackwright::serving {

Scheduler::Scheduler(const SchedulerPolicy& policy, SequencePool& pool, KvCache kv)
    : policy_(policy), pool_(pool), kv_(std::move(kv)), decodes_(pool, kv_.block_tokens()), waiting_(pool), expected_(pool) {}

bool Scheduler::prefills_come_last() const {
  int found = 0;
  for (SequenceId id = last_running_; id != no_sequence && pool_[id].state == SequenceState::prefilling; id = pool_[id].previous)
    ++found;
  return found == prefilling_count_;
}

std::int64_t Scheduler::blocks_lacking(SequenceId id, std::int64_t tokens) const {
  return std::max<std::int64_t>(kv_.blocks_for(tokens) - pool_[id].blocks, 0);
}

SequenceId Scheduler::next_to_admit() {
  const SequenceId id = first_waiting();
  if (id == no_sequence || !kv_.caches_prefixes()) return id;
  Sequence& sequence = pool_[id];
  const Units units = units_of(sequence);
  const std::int32_t cached = cached_units(sequence, units);
  sequence.computed = cached * units.tokens;
  sequence.blocks = 0;
  for (std::int32_t i = 0; i < cached; ++i)
    if (kv_.is_used(find_unit(sequence, units, i))) sequence.blocks += units.blocks;
  return id;
}

void Scheduler::admit(SequenceId id) {
  waiting_.remove(id);
  Sequence& sequence = pool_[id];
  if (sequence.computed > 0) {
    const Units units = units_of(sequence);
    const std::int32_t cached = sequence.computed / units.tokens;
    for (std::int32_t i = 0; i < cached; ++i) {
      sequence.units.push_back(find_unit(sequence, units, i));
      kv_.use(sequence.units.back());
    }
    sequence.blocks = cached * units.blocks;
    tokens_outside_ += sequence.computed;
  }
  if (sequence.scheduled == SimTime::max()) sequence.cached_input_tokens = sequence.computed;
  sequence.state = SequenceState::prefilling;
  append_running(id);
  ++running_count_;
  ++prefilling_count_;
}

void Scheduler::append_running(SequenceId id) {
  pool_[id].previous = last_running_;
  pool_[id].next = no_sequence;
  (last_running_ == no_sequence ? first_running_ : pool_[last_running_].next) = id;
  last_running_ = id;
}

void Scheduler::reserve(SequenceId id, std::int64_t tokens) {
  const std::int64_t lacking = blocks_lacking(id, tokens);
  kv_.take(lacking);
  pool_[id].blocks += static_cast<std::int32_t>(lacking);
}

void Scheduler::prefill(SequenceId id, std::int32_t tokens) {
  Sequence& sequence = pool_[id];
  invariant(sequence.state == SequenceState::prefilling, "only an admitted prompt is prefilled");
  invariant(tokens > 0 && tokens <= tokens_left_to_prefill(id), "a prefill chunk lies inside its prompt");
  invariant(kv_.blocks_for(sequence.computed + tokens) <= sequence.blocks, "the blocks of a prefill chunk are reserved");
  sequence.scheduled = std::min(sequence.scheduled, planned_at_);
  chunks_.push_back({id, tokens});
  prefill_tokens_ += tokens;
}

void Scheduler::preempt(SequenceId id) {
  Sequence& sequence = pool_[id];
  leave_running(id);
  sequence.to_compute = sequence.input_tokens + sequence.emitted;
  sequence.computed = 0;
  ++sequence.preemptions;
  has_preempted_ = true;
  sequence.state = SequenceState::waiting;
  waiting_.push({policy_.queue_key(sequence), sequence.order, id});
}

void Scheduler::hold(SequenceId id) {
  decodes_.remove(id);
  tokens_outside_ += pool_[id].computed;
  composition_changed_ = true;
}

void Scheduler::resume(SequenceId id) {
  invariant(pool_[id].state == SequenceState::held, "only a held sequence is resumed");
  decodes_.add(id);
  tokens_outside_ -= pool_[id].computed;
  composition_changed_ = true;
}

void Scheduler::enqueue(SequenceId id) {
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::waiting;
  sequence.order = arrivals_++;
  sequence.to_compute = sequence.input_tokens + sequence.emitted;
  waiting_.push({policy_.queue_key(sequence), sequence.order, id});
}

SequenceId Scheduler::first_in_line() const {
  if (first_running_ != no_sequence) return first_running_;
  return waiting_.empty() && !expected_.empty() ? expected_.front().sequence : first_waiting();
}

bool Scheduler::may_admit(SequenceId id) const { return policy_.may_admit(*this, id); }

void Scheduler::plan(SimTime now) {
  planned_at_ = now;
  const bool decodes_ran = decodes_run_;
  resume_received();
  // An empty step takes no time: a policy that only preempted in it, and wants to plan again, does so at once.
  for (int attempts = running_count_ + 2; attempts > 0; --attempts) {
    plan_limit_ = no_limit;
    decodes_run_ = true;
    has_preempted_ = false;
    policy_.plan(*this);
    if (!is_idle() || plan_limit_ == no_limit) break;
  }
  if (!chunks_.empty() || decodes_run_ != decodes_ran) composition_changed_ = true;
  start_receptions();
  if (steps_without_eviction() == 0) plan_limit_ = 1;
  if (runs_decodes()) kv_.take(decodes_.grant(1));
}

std::int64_t Scheduler::steps_planned() {
  if (!chunks_.empty()) return 1;
  const std::int64_t steps = std::min({plan_limit_, decodes_.steps_to_first_end(), decodes_.steps_within(kv_.free())});
  const std::int64_t without_eviction = steps_without_eviction();
  plan_limit_ = without_eviction < steps ? without_eviction + 1 : steps;
  return plan_limit_;
}

// An eviction may shorten the cached prefix of the first waiting sequence, and with it what its next chunk takes: the
// step that evicts is the last before the next plan.
std::int64_t Scheduler::steps_without_eviction() const {
  const bool matters = kv_.caches_prefixes() && !waiting_.empty() && pool_[first_waiting()].computed > 0;
  return matters ? decodes_.steps_within(kv_.free_before_eviction()) : no_limit;
}

cost::StepShape Scheduler::shape(bool with_contexts) {
  composition_changed_ = false;
  chunk_shapes_.clear();
  for (const Chunk& chunk : chunks_)
    chunk_shapes_.push_back(
        {chunk.tokens, pool_[chunk.sequence].computed, chunk.tokens == tokens_left_to_prefill(chunk.sequence)});
  contexts_.clear();
  cost::StepShape shape;
  shape.prefill = chunk_shapes_;
  if (!decodes_run_) return shape;
  if (with_contexts) decodes_.contexts(contexts_);
  shape.decode_sequences = decodes_.size();
  shape.decode_context_tokens = decodes_.context_tokens();
  shape.decode_context_max = decodes_.context_max();
  shape.decode_contexts = contexts_;
  return shape;
}

void Scheduler::advance_decodes(const StepClock& clock, std::int64_t from, std::int64_t steps, Then then) {
  if (!runs_decodes()) return;
  kv_.take(decodes_.grant(steps + (then == Then::next_step_runs ? 1 : 0)));
  decodes_.advance(clock, from, steps);
  if (plan_limit_ != no_limit) plan_limit_ -= steps;
}

void Scheduler::complete_prefills(std::vector<SequenceId>& sampled) {
  if (chunks_.empty()) return;
  for (const Chunk& chunk : chunks_) {
    Sequence& sequence = pool_[chunk.sequence];
    sequence.computed += chunk.tokens;
    tokens_outside_ += chunk.tokens;
    if (kv_.caches_prefixes()) publish_units(sequence);
    if (sequence.computed < sequence.to_compute) continue;
    sequence.state = SequenceState::held;
    --prefilling_count_;
    sampled.push_back(chunk.sequence);
  }
  chunks_.clear();
  prefill_tokens_ = 0;
  composition_changed_ = true;
}

void Scheduler::bring_up_to_date(SequenceId id) {
  if (pool_[id].state == SequenceState::decoding) decodes_.bring_up_to_date(id);
}

void Scheduler::expect(SequenceId id) {
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::expected;
  sequence.order = arrivals_++;
  expected_.push({policy_.queue_key(sequence), sequence.order, id});
}

bool Scheduler::may_receive() const {
  if (expected_.empty() || running_count_ >= policy_.max_running()) return false;
  return kv_.blocks_for(policy_.tokens_to_receive(pool_[expected_.front().sequence])) <= free_blocks();
}

// As with other admissions, a step that had to preempt takes nobody in.
void Scheduler::start_receptions() {
  reception_starts_.clear();
  while (!has_preempted_ && may_receive()) {
    const SequenceId id = expected_.remove(expected_.front().sequence).sequence;
    Sequence& sequence = pool_[id];
    sequence.state = SequenceState::receiving;
    const auto blocks = static_cast<std::int32_t>(kv_.blocks_for(policy_.tokens_to_receive(sequence)));
    kv_.take(blocks);
    ++running_count_;
    ++receiving_count_;
    if (sequence.emitted > 0) {
      sequence.blocks = blocks;
      tokens_outside_ += sequence.computed;
    } else {
      sequence.reserved_blocks = blocks;
    }
    reception_starts_.push_back(id);
    plan_limit_ = 1;  // The policy counted on these blocks.
  }
}

void Scheduler::claim_reservation(SequenceId id) {
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::receiving;
  sequence.blocks = sequence.reserved_blocks;
  sequence.reserved_blocks = 0;
  tokens_outside_ += sequence.computed;
}

void Scheduler::drop_reservation(SequenceId id) {
  --receiving_count_;
  --running_count_;
  kv_.give_back(pool_[id].reserved_blocks);
  pool_[id].reserved_blocks = 0;
}

void Scheduler::receive(SequenceId id) {
  pool_[id].state = SequenceState::held;
  --receiving_count_;
  append_running(id);
  received_.push_back(id);
}

void Scheduler::resume_received() {
  for (const SequenceId id : received_) resume(id);
  received_.clear();
}

void Scheduler::remove(SequenceId id) {
  Sequence& sequence = pool_[id];
  if (sequence.state == SequenceState::waiting) {
    waiting_.remove(id);
  } else if (sequence.state == SequenceState::expected) {
    expected_.remove(id);
  } else if (sequence.state == SequenceState::receiving && sequence.reserved_blocks > 0) {
    drop_reservation(id);
  } else if (sequence.state == SequenceState::receiving) {
    --receiving_count_;
    --running_count_;
    tokens_outside_ -= sequence.computed;
    kv_.give_back(sequence.blocks);
    sequence.blocks = 0;
  } else {
    leave_running(id);
  }
}

void Scheduler::leave_running(SequenceId id) { release_kv(hold_kv(id)); }

std::uint32_t Scheduler::hold_kv(SequenceId id) {
  Sequence& sequence = pool_[id];
  if (sequence.state == SequenceState::decoding) hold(id);
  if (sequence.state == SequenceState::prefilling) --prefilling_count_;
  if (!received_.empty()) std::erase(received_, id);
  --running_count_;
  tokens_outside_ -= sequence.computed;
  (sequence.previous == no_sequence ? first_running_ : pool_[sequence.previous].next) = sequence.next;
  (sequence.next == no_sequence ? last_running_ : pool_[sequence.next].previous) = sequence.previous;
  if (free_holds_.empty()) {
    free_holds_.push_back(static_cast<std::uint32_t>(holds_.size()));
    holds_.emplace_back();
  }
  const std::uint32_t number = free_holds_.back();
  free_holds_.pop_back();
  KvHold& kept = holds_[number];
  // A unit's blocks are the cache's; the hold counts the others.
  const Units units = units_of(sequence);
  const auto shared = std::ranges::count_if(sequence.units, [](KvCache::Unit unit) { return unit != KvCache::no_unit; });
  kept.blocks = sequence.blocks - shared * units.blocks;
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

Scheduler::Units Scheduler::units_of(const Sequence& sequence) const {
  Units units;
  const std::int32_t hash = sequence.hash_tokens;
  const std::int32_t block = kv_.block_tokens();
  if (hash <= 0 || (hash % block != 0 && block % hash != 0)) return units;
  units.tokens = std::max(hash, block);
  units.hashes = units.tokens / hash;
  units.blocks = units.tokens / block;
  units.count = std::min(sequence.input_tokens / units.tokens,
                         static_cast<std::int32_t>(sequence.prefix_hashes.size()) / units.hashes);
  return units;
}

KvCache::Unit Scheduler::find_unit(const Sequence& sequence, const Units& units, std::int32_t index) const {
  return kv_.find(sequence.prefix_hashes[static_cast<std::size_t>((index + 1) * units.hashes - 1)]);
}

std::int32_t Scheduler::cached_units(const Sequence& sequence, const Units& units) const {
  // At least one token is left to compute, since its result is the first output token.
  const std::int32_t most = units.count == 0 ? 0 : std::min(units.count, (sequence.to_compute - 1) / units.tokens);
  std::int32_t cached = 0;
  while (cached < most && find_unit(sequence, units, cached) != KvCache::no_unit) ++cached;
  return cached;
}

std::int64_t Scheduler::cached_tokens(const Sequence& sequence) const {
  if (!kv_.caches_prefixes()) return 0;
  const Units units = units_of(sequence);
  return std::int64_t{cached_units(sequence, units)} * units.tokens;
}

// Blocks of the prompt become visible to others when they are computed.
void Scheduler::publish_units(Sequence& sequence) {
  const Units units = units_of(sequence);
  for (auto i = static_cast<std::int32_t>(sequence.units.size()); i < units.count && (i + 1) * units.tokens <= sequence.computed; ++i)
    sequence.units.push_back(kv_.publish(sequence.prefix_hashes[static_cast<std::size_t>((i + 1) * units.hashes - 1)], units.blocks));
}

}  // namespace rackwright::serving
