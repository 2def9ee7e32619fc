#include "sim/serving/scheduler.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "sim/serving/prefix_units.h"
#include "sim/serving/scheduler_policy.h"

namespace rackwright::serving {

Scheduler::Scheduler(const SchedulerPolicy& policy, SequencePool& pool, KvMemory kv, int micro_batches, const Speculation* speculation)
    : policy_(policy), pool_(pool), speculation_(speculation), kv_(std::move(kv.blocks)), waiting_(pool), expected_(pool), preemption_(kv.preemption) {
  if (!kv.tiers.empty()) {
    tiers_ = std::make_unique<KvTiers>(std::move(kv.tiers), kv.shared);
    kv_.evict_to(tiers_.get());
    to_load_.resize(tiers_->size());
  }
  for (int i = 0; i < micro_batches; ++i) batches_.emplace_back(pool, kv_.layout(), speculation);
  batch_ = &batches_.front();
}

bool Scheduler::prefills_come_last() const {
  int found = 0;
  for (SequenceId id = last_running(); id != no_sequence && pool_[id].state == SequenceState::prefilling; id = pool_[id].previous)
    ++found;
  return found == batch_->prefilling_count;
}

std::int64_t Scheduler::blocks_lacking(SequenceId id, std::int64_t tokens) const {
  return std::max<std::int64_t>(kv_.blocks_for(tokens) - pool_[id].blocks, 0);
}

Scheduler::Rank Scheduler::rank(const Sequence& sequence) const { return {policy_.queue_key(sequence), sequence.order}; }

std::int64_t Scheduler::blocks_to_come() const {
  std::int64_t blocks = 0;
  for (const MicroBatch& batch : batches_) {
    blocks += batch.decodes.blocks_to_come();
    if (&batch == batch_ || batch.prefilling_count == 0) continue;
    for (SequenceId id = batch.first_running; id != no_sequence; id = pool_[id].next) {
      const Sequence& sequence = pool_[id];
      if (sequence.state == SequenceState::prefilling)
        blocks += blocks_lacking(id, std::int64_t{sequence.input_tokens} + sequence.output_tokens - 1);
    }
  }
  return blocks;
}

SequenceId Scheduler::next_to_admit() {
  while (true) {
    const SequenceId id = first_waiting();
    if (id == no_sequence || rank(pool_[id]) > starved_) return no_sequence;
    Sequence& sequence = pool_[id];
    if (sequence.loaded > 0) return id;
    if (kv_.caches_prefixes()) count_cached(sequence);
    const std::int64_t to_load = tiers_ ? find_lower(sequence) : 0;
    if (to_load == 0) return id;
    if (to_load > std::min(free_blocks(), policy_.unpromised_blocks(*this))) return no_sequence;
    start_load(id, to_load);
  }
}

void Scheduler::count_cached(Sequence& sequence) {
  const PrefixUnits units(sequence, kv_.layout());
  const std::int32_t cached = cached_units(sequence);
  sequence.computed = cached * units.tokens;
  sequence.blocks = 0;
  for (std::int32_t i = 0; i < cached; ++i)
    if (kv_.is_used(kv_.find(units.hash(sequence, i)))) sequence.blocks += units.blocks;
}

// Takes part in the cached units that `count_cached` found.
void Scheduler::use_cached(Sequence& sequence) {
  if (sequence.computed == 0) return;
  const PrefixUnits units(sequence, kv_.layout());
  const std::int32_t cached = sequence.computed / units.tokens;
  for (std::int32_t i = 0; i < cached; ++i) {
    sequence.units.push_back(kv_.find(units.hash(sequence, i)));
    kv_.use(sequence.units.back());
  }
  sequence.blocks = cached * units.blocks;
}

void Scheduler::admit(SequenceId id) {
  waiting_.remove(id);
  Sequence& sequence = pool_[id];
  if (sequence.loaded > 0) {
    std::erase(loaded_, id);
    sequence.loaded = 0;
    if (sequence.swapped > 0) tiers_->release(std::exchange(sequence.swapped, 0));
  } else {
    use_cached(sequence);
  }
  tokens_outside_ += sequence.computed;
  prompt_tokens_ -= sequence.computed;
  if (sequence.scheduled == SimTime::max()) sequence.cached_input_tokens = sequence.computed;
  sequence.state = SequenceState::prefilling;
  sequence.micro_batch = selected_;
  batch_->append(pool_, id);
  ++batch_->prefilling_count;
  ++running_count_;
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
  sequence.scheduled = std::min(sequence.scheduled, batch_->planned_at);
  batch_->chunks.push_back({id, tokens});
  batch_->prefill_tokens += tokens;
}

void Scheduler::preempt(SequenceId id) {
  Sequence& sequence = pool_[id];
  release_kv(hold_kv(id));
  sequence.to_compute = sequence.input_tokens + sequence.emitted;
  if (preemption_ == Preemption::swap && sequence.computed > 0) {
    if (const auto at = tiers_->swap_out(sequence.computed, batch_->planned_at)) {
      sequence.swapped = sequence.computed;
      sequence.swapped_at = *at;
    }
  }
  sequence.computed = 0;
  ++sequence.preemptions;
  has_preempted_ = true;
  prompt_tokens_ += sequence.to_compute;
  sequence.state = SequenceState::waiting;
  waiting_.push({rank(sequence), id});
}

bool Scheduler::later_runs_elsewhere(SequenceId id) const {
  for (const MicroBatch& batch : batches_)
    for (SequenceId other = batch.first_running; &batch != batch_ && other != no_sequence; other = pool_[other].next)
      if (rank(pool_[other]) > rank(pool_[id])) return true;
  return false;
}

void Scheduler::wait_for_memory(SequenceId id) {
  starved_ = std::min(starved_, rank(pool_[id]));
  if (pool_[id].state == SequenceState::decoding) {
    hold(id);
    batch_->received.push_back(id);
  }
}

// Without this, sequences of different micro-batches could take each other's memory in turn for ever.
void Scheduler::yield_memory() {
  if (starved_ == nobody) return;
  bool starved_is_here = false;
  for (SequenceId id = last_running(); id != no_sequence;) {
    const SequenceId previous = pool_[id].previous;
    starved_is_here = starved_is_here || rank(pool_[id]) == starved_;
    if (rank(pool_[id]) > starved_) preempt(id);
    id = previous;
  }
  if (starved_is_here) starved_ = nobody;
}

void Scheduler::hold(SequenceId id) {
  MicroBatch& batch = batch_of(pool_[id]);
  batch.decodes.remove(id);
  batch.composition_changed = true;
  tokens_outside_ += pool_[id].computed;
}

// Of newcomers whose KV came at one instant, the order is that in which they were expected.
void Scheduler::rotate_decodes() {
  std::ranges::sort(batch_->newcomers, {}, [this](SequenceId id) { return pool_[id].order; });
  for (const SequenceId id : batch_->newcomers) {
    if (pool_[id].state != SequenceState::decoding) continue;  // Preempted before this attempt to plan.
    batch_->unlink(pool_, id);
    batch_->append(pool_, id);
  }
  SequenceId id = first_running();
  for (int left = batch_->running_count; left > 0; --left) {
    const SequenceId next = pool_[id].next;
    if (pool_[id].state == SequenceState::decoding && std::ranges::find(batch_->newcomers, id) == batch_->newcomers.end()) {
      batch_->unlink(pool_, id);
      batch_->append(pool_, id);
    }
    id = next;
  }
}

void Scheduler::resume(SequenceId id) {
  invariant(pool_[id].state == SequenceState::held, "only a held sequence is resumed");
  MicroBatch& batch = batch_of(pool_[id]);
  batch.decodes.add(id);
  batch.composition_changed = true;
  tokens_outside_ -= pool_[id].computed;
}

void Scheduler::enqueue(SequenceId id) {
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::waiting;
  sequence.order = arrivals_++;
  sequence.to_compute = sequence.input_tokens + sequence.emitted;
  prompt_tokens_ += sequence.to_compute;
  waiting_.push({rank(sequence), id});
}

bool Scheduler::may_admit(SequenceId id) const { return policy_.may_admit(*this, id); }

void Scheduler::plan(SimTime now) {
  MicroBatch& batch = *batch_;
  batch.planned_at = now;
  const bool decodes_ran = batch.decodes_run;
  batch.follows_prompts = !decodes_ran;
  load_starts_.clear();
  yield_memory();
  batch.newcomers.swap(batch.received);
  batch.received.clear();
  for (const SequenceId id : batch.newcomers) resume(id);
  // Who only waits with loaded KV gives it up before one that runs is preempted.
  while (!loaded_.empty() && kv_.free() < batch.decodes.block_demand(1)) drop_load(loaded_.back());
  // An empty step takes no time: a policy that only preempted in it, and wants to plan again, does so at once.
  for (int attempts = batch.running_count + 2; attempts > 0; --attempts) {
    batch.plan_limit = no_limit;
    batch.decodes_run = true;
    has_preempted_ = false;
    policy_.plan(*this);
    if (!batch.is_idle()) break;
    if (give_up_loads()) attempts = batch.running_count + 2;
    else if (batch.plan_limit == no_limit) break;
  }
  if (!batch.chunks.empty() || batch.decodes_run != decodes_ran) batch.composition_changed = true;
  start_receptions(now);
  if (steps_without_eviction() == 0) batch.plan_limit = 1;
  if (batch.runs_decodes()) kv_.take(batch.decodes.grant(1));
}

cost::StepShape Scheduler::shape(bool with_contexts) {
  MicroBatch& batch = *batch_;
  batch.composition_changed = false;
  chunk_shapes_.clear();
  for (const MicroBatch::Chunk& chunk : batch.chunks)
    chunk_shapes_.push_back(
        {chunk.tokens, pool_[chunk.sequence].computed, chunk.tokens == tokens_left_to_prefill(chunk.sequence)});
  contexts_.clear();
  cost::StepShape shape;
  shape.prefill = chunk_shapes_;
  if (!batch.decodes_run) return shape;
  if (with_contexts) batch.decodes.contexts(contexts_);
  shape.decode_sequences = batch.decodes.size();
  shape.decode_context_tokens = batch.decodes.context_tokens();
  shape.decode_context_max = batch.decodes.context_max();
  shape.decode_contexts = contexts_;
  return shape;
}

void Scheduler::advance_decodes(const StepClock& clock, std::int64_t from, std::int64_t steps, Then then) {
  MicroBatch& batch = *batch_;
  if (!batch.runs_decodes()) return;
  kv_.take(batch.decodes.grant(steps + (then == Then::next_step_runs ? 1 : 0)));
  batch.decodes.advance(clock, from, steps);
  if (batch.plan_limit != no_limit) batch.plan_limit -= steps;
  if (speculation_ != nullptr && steps > 0) batch.composition_changed = true;
}

std::int32_t Scheduler::decoded_tokens(SequenceId id) const {
  if (speculation_ == nullptr) return 1;
  const Sequence& sequence = pool_[id];
  const bool ages = sequence.state == SequenceState::decoding;
  const std::int32_t emitted = sequence.emitted + (ages ? decodes().computed(id) - sequence.computed : 0);
  return std::min(speculation_->tokens_of_cycle(sequence.draws(), emitted, sequence.acceptance), sequence.output_tokens - emitted);
}

void Scheduler::complete_prefills(std::vector<SequenceId>& sampled) {
  MicroBatch& batch = *batch_;
  if (batch.chunks.empty()) return;
  for (const MicroBatch::Chunk& chunk : batch.chunks) {
    Sequence& sequence = pool_[chunk.sequence];
    sequence.computed += chunk.tokens;
    tokens_outside_ += chunk.tokens;
    prompt_tokens_ -= chunk.tokens;
    if (kv_.caches_prefixes()) publish_units(sequence);
    if (sequence.computed < sequence.to_compute) continue;
    sequence.state = SequenceState::held;
    --batch.prefilling_count;
    sampled.push_back(chunk.sequence);
  }
  batch.chunks.clear();
  batch.prefill_tokens = 0;
  batch.composition_changed = true;
}

void Scheduler::bring_up_to_date(SequenceId id) {
  if (pool_[id].state == SequenceState::decoding) batch_of(pool_[id]).decodes.bring_up_to_date(id);
}

SequenceId Scheduler::reached() {
  const SequenceId id = batch_->decodes.reached();
  if (id != no_sequence) bring_up_to_date(id);
  return id;
}

void Scheduler::remove(SequenceId id) {
  Sequence& sequence = pool_[id];
  if (sequence.state == SequenceState::waiting) {
    waiting_.remove(id);
    prompt_tokens_ -= sequence.to_compute;
    if (sequence.loaded > 0) drop_load(id);
    if (sequence.swapped > 0) tiers_->release(sequence.swapped);
  } else if (sequence.state == SequenceState::loading) {
    prompt_tokens_ -= sequence.to_compute;
    std::erase(loading_, id);
    drop_load(id);
    if (sequence.swapped > 0) tiers_->release(sequence.swapped);
  } else if (sequence.state == SequenceState::expected) {
    expected_.remove(id);
  } else if (sequence.state == SequenceState::receiving && sequence.reserved_blocks > 0) {
    drop_reservation(id);
  } else if (sequence.state == SequenceState::receiving) {
    --running_count_;
    tokens_outside_ -= sequence.computed;
    kv_.give_back(sequence.blocks);
    sequence.blocks = 0;
  } else {
    release_kv(hold_kv(id));
  }
}

std::int32_t Scheduler::cached_units(const Sequence& sequence) const {
  const PrefixUnits units(sequence, kv_.layout());
  if (units.count == 0) return 0;
  // At least one token is left to compute, since its result is the first output token.
  const std::int32_t most = std::min(units.count, (sequence.to_compute - 1) / units.tokens);
  std::int32_t cached = 0;
  while (cached < most && kv_.find(units.hash(sequence, cached)) != KvCache::no_unit) ++cached;
  return cached;
}

std::int64_t Scheduler::cached_tokens(const Sequence& sequence) const {
  if (!kv_.caches_prefixes()) return 0;
  return std::int64_t{cached_units(sequence)} * PrefixUnits(sequence, kv_.layout()).tokens;
}

void Scheduler::forget_cached() {
  invariant(kv_.used() == 0, "only an instance that uses no KV block forgets what it has cached");
  kv_ = KvCache(kv_.blocks(), kv_.layout(), kv_.caches_prefixes() ? PrefixCaching::on : PrefixCaching::off);
  if (!tiers_) return;
  tiers_->forget();
  kv_.evict_to(tiers_.get());
}

// Blocks of the prompt become visible to others when they are computed.
void Scheduler::publish_units(Sequence& sequence) {
  const PrefixUnits units(sequence, kv_.layout());
  for (auto i = static_cast<std::int32_t>(sequence.units.size()); i < units.count && (i + 1) * units.tokens <= sequence.computed; ++i)
    sequence.units.push_back(kv_.publish(units.hash(sequence, i), units.blocks));
}

std::int64_t Scheduler::kv_tokens(std::int64_t in_step) const {
  if (kv_.layout().has_windows()) return kv_.used() * kv_.layout().block_tokens();
  std::int64_t tokens = tokens_outside_ + in_step;
  for (const MicroBatch& batch : batches_) tokens += batch.decodes.computed_tokens();
  return std::min(tokens, kv_.used() * kv_.layout().block_tokens());
}

SequenceId Scheduler::first_in_line() const {
  for (const MicroBatch& batch : batches_)
    if (batch.first_running != no_sequence) return batch.first_running;
  if (!waiting_.empty()) return first_waiting();
  if (!expected_.empty()) return expected_.front().sequence;
  return loading_.empty() ? no_sequence : loading_.front();
}

}  // namespace rackwright::serving
