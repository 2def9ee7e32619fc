#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "models/cost/step_cost.h"
#include "sim/serving/decode_group.h"
#include "sim/serving/kv_cache.h"
#include "sim/serving/kv_tiers.h"
#include "sim/serving/micro_batch.h"
#include "sim/serving/sequence.h"
#include "sim/serving/sequence_heap.h"

namespace rackwright::serving {

class SchedulerPolicy;

/// What becomes of the KV of a preempted sequence: it is computed anew, or kept in the first lower tier where that has
/// room and loaded from there.
enum class Preemption { recompute, swap };

/// The KV memory of an instance: its blocks, and tiers below them.
struct KvMemory {
  KvCache blocks;
  std::vector<KvTierSpec> tiers = {};
  Preemption preemption = Preemption::recompute;
  SharedStores shared = {};  ///< Of tiers that other instances use too.
};

/// The queue, the running sequences and the KV memory of an instance, and the step planned next.
/// A policy reads it and changes it between steps; the `Instance` carries the plan out.
///
/// With several micro-batches, everything about running sequences means the selected one, whose step is being planned
/// or has ended; those in flight stay as they are. The queue, the memory and the limit on running sequences are shared.
class Scheduler {
 public:
  Scheduler(const SchedulerPolicy& policy, SequencePool& pool, KvMemory kv, int micro_batches = 1, const Speculation* speculation = nullptr);

  // What a policy reads.
  const Sequence& operator[](SequenceId id) const { return pool_[id]; }
  const KvCache& kv() const { return kv_; }
  const DecodeGroup& decodes() const { return batch_->decodes; }
  int waiting_count() const { return static_cast<int>(waiting_.size()); }
  SequenceId first_waiting() const { return waiting_.empty() ? no_sequence : waiting_.front().sequence; }
  /// The first waiting sequence, with the part of its prompt that is cached counted as computed; none if none waits.
  /// Sequences of which lower tiers have a part leave the queue and load it, as long as there are blocks for them; then
  /// they are back in their place.
  SequenceId next_to_admit();
  /// Admitted and not preempted, over all micro-batches.
  int running_count() const { return running_count_; }
  /// Prompt tokens of waiting and prefilling sequences that are not computed, those in flight included; a waiting one's
  /// count whole, whatever is cached.
  std::int64_t prompt_tokens() const { return prompt_tokens_; }
  /// Of the selected micro-batch, in order of admission.
  SequenceId first_running() const { return batch_->first_running; }
  SequenceId last_running() const { return batch_->last_running; }
  int prefilling_count() const { return batch_->prefilling_count; }
  int held_count() const { return batch_->running_count - batch_->prefilling_count - batch_->decodes.size(); }
  /// Whether the step before the one that is planned left decodes out.
  bool follows_prompts() const { return batch_->follows_prompts; }
  /// Whether every prefilling sequence was admitted after every one that decodes or is held.
  bool prefills_come_last() const;
  int chunk_count() const { return static_cast<int>(batch_->chunks.size()); }
  std::int32_t tokens_left_to_prefill(SequenceId id) const { return pool_[id].to_compute - pool_[id].computed; }
  /// Blocks that are free once each decoding sequence has what its next token needs; may be negative.
  std::int64_t free_blocks() const { return kv_.free() - (batch_->decodes_run ? batch_->decodes.block_demand(1) : 0); }
  /// Blocks that running sequences will still take until their last tokens, but for the selected micro-batch's prompts.
  std::int64_t blocks_to_come() const;
  /// Free blocks that a sequence outside the decode group takes to hold `tokens` KV tokens. For the next to admit this
  /// counts cached units that nobody uses: using them makes them unavailable to others.
  std::int64_t blocks_lacking(SequenceId id, std::int64_t tokens) const;

  // What a policy does.
  /// Moves a waiting sequence to the end of the running ones.
  void admit(SequenceId id);
  /// Gives a sequence outside the decode group blocks for `tokens` KV tokens, which must be free.
  void reserve(SequenceId id, std::int64_t tokens);
  /// The step computes the next `tokens` tokens of a prefilling sequence's prompt; their blocks are reserved.
  void prefill(SequenceId id, std::int32_t tokens);
  /// Takes a running sequence's blocks and puts it back into the queue, to be computed anew or loaded.
  void preempt(SequenceId id);
  /// Whether a later sequence runs in another micro-batch, so that this one need not give up its own blocks.
  bool later_runs_elsewhere(SequenceId id) const;
  /// The step goes on without this sequence. Until its micro-batch plans again, the others give up what came later.
  void wait_for_memory(SequenceId id);
  /// Leaves a decoding sequence out of the steps from now on; `resume` takes it back.
  void hold(SequenceId id);
  void resume(SequenceId id);
  /// Held until the next plan takes it back by itself.
  bool is_taken_back(SequenceId id) const { return std::ranges::find(batch_->received, id) != batch_->received.end(); }
  /// No decode runs in this step.
  void pause_decodes() { batch_->decodes_run = false; }
  /// The plan holds for `steps` steps at most, even when nothing happens.
  void plan_again_after(std::int64_t steps) { batch_->plan_limit = steps; }
  void plan_again_within(std::int64_t steps) { batch_->plan_limit = std::min(batch_->plan_limit, steps); }
  /// Moves the sequences that have decoded here before behind all others, in the order that they have.
  void rotate_decodes();

  // What the instance does.
  void select(std::uint16_t micro_batch) {
    selected_ = micro_batch;
    batch_ = &batches_[micro_batch];
  }
  void enqueue(SequenceId id);
  bool may_admit(SequenceId id) const;
  /// Asks the policy for the next step, which starts at `now`. Afterwards `is_idle` says that there is none.
  void plan(SimTime now);
  bool is_idle() const { return batch_->is_idle(); }
  bool runs_decodes() const { return batch_->runs_decodes(); }
  std::int32_t prefill_tokens() const { return batch_->prefill_tokens; }
  const std::vector<MicroBatch::Chunk>& chunks() const { return batch_->chunks; }
  /// Whether the planned step differs by more than the decode group's age from the one that `shape` gave last.
  bool is_new_composition() const { return batch_->composition_changed; }
  /// Steps for which the plan surely holds unless something happens. Asked again after some of them, it says at most
  /// what was left: a reason to plan anew does not pass.
  std::int64_t steps_planned();
  /// Whether, over all micro-batches, nothing happens but that decodes age: every running sequence decodes, and nobody who waits
  /// could run beside them.
  bool only_ages() const;
  /// Steps from the end of the last one, the one in flight included, after which the selected micro-batch is to be planned, or somebody ends.
  std::int64_t steps_unplanned() const;
  /// Whether blocks are left when every micro-batch has run `steps` more.
  bool has_blocks_for(std::int64_t steps) const;
  /// The next step of the selected micro-batch, which has the plan of the last, begins.
  void repeat_plan() { kv_.take(batch_->decodes.grant(1)); }
  /// Of the planned step; its spans stay valid until the next call.
  cost::StepShape shape(bool with_contexts);

  enum class Then { boundary, next_step_runs };
  /// Ages the running decodes by `steps` steps of a stretch; `then` says whether the step after them is under way.
  void advance_decodes(const StepClock& clock, std::int64_t from, std::int64_t steps, Then then);
  /// Counts the chunks of the step that has ended, and adds the sequences whose prompt is complete, now held.
  void complete_prefills(std::vector<SequenceId>& sampled);
  /// Brings the counts and times of a decoding sequence up to date; others are.
  void bring_up_to_date(SequenceId id);
  /// A decoding sequence of the selected micro-batch that has reached its milestone, its counts up to date; told once, or none.
  SequenceId reached();
  /// It may have another milestone now.
  void watch(SequenceId id) {
    if (pool_[id].milestone > pool_[id].emitted) batch_of(pool_[id]).decodes.watch(id);
  }
  /// Takes a sequence out, with its counts up to date: one that is in no step at any time, others between steps.
  void remove(SequenceId id);

  /// A sequence that was computed elsewhere is to come; its blocks are taken when they are free, in order.
  void expect(SequenceId id);
  bool may_receive() const;
  /// Expects a sequence, and takes its blocks at once if they are free (true).
  bool take_in(SequenceId id, SimTime now);
  /// Here, and in no step: expected, or held.
  int idle_count() const;
  /// Takes blocks for those expected whose prompts are still to be computed, between plans, when nobody waits for them here.
  void reserve_at_once(SimTime now);
  /// The sequences for which `plan` or `reserve_at_once` took blocks last, whose KV is to be fetched now.
  const std::vector<SequenceId>& reception_starts() const { return reception_starts_; }
  /// The prompt of a sequence that has blocks reserved here is computed: from now on it is received.
  void claim_reservation(SequenceId id);
  void drop_reservation(SequenceId id);
  /// Its KV is there; the next plan of the smallest micro-batch has it among the decodes.
  void receive(SequenceId id);
  /// A load that `plan` started, to be told when it ends: `finish_load`, or `remove` for a cancelled sequence.
  struct Load {
    SequenceId sequence = no_sequence;
    SimTime end;
  };
  const std::vector<Load>& load_starts() const { return load_starts_; }
  void finish_load(SequenceId id);
  bool is_loading() const { return !loading_.empty(); }
  /// By tier; empty without tiers.
  std::vector<KvTierTotals> tier_totals() const { return tiers_ ? tiers_->totals() : std::vector<KvTierTotals>{}; }

  /// Takes a running sequence out between steps and keeps its blocks, under the number returned.
  std::uint32_t hold_kv(SequenceId id);
  void release_kv(std::uint32_t hold);

  /// Tokens that a step computes for each decode: one, or those drafted and one more.
  std::int32_t tokens_per_decode() const { return speculation_ == nullptr ? 1 : speculation_->drafted_tokens() + 1; }
  /// KV tokens that the next step keeps of a sequence that decodes or is held: at least one.
  std::int32_t decoded_tokens(SequenceId id) const;

  /// Forgets what is cached when nothing is in use.
  void forget_cached();
  /// Tokens of the sequence's prompt that are cached here.
  std::int64_t cached_tokens(const Sequence& sequence) const;
  /// Tokens whose KV exists, over all running sequences, and `in_step` that a step computes; those that several share count
  /// for each, but all together for no more than the blocks in use hold. With windows, what these hold, each of one group.
  std::int64_t kv_tokens(std::int64_t in_step) const;
  /// A sequence that is here: one that runs if there is one, else the first that waits; none if none is.
  SequenceId first_in_line() const;
  bool holds_kv() const { return free_holds_.size() < holds_.size(); }

 private:
  /// Who comes first: the smaller key of the policy, then the earlier arrival.
  struct Rank {
    std::int64_t key = 0;
    std::uint64_t order = 0;
    auto operator<=>(const Rank&) const = default;
  };
  static constexpr Rank nobody{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::uint64_t>::max()};
  struct Queued {
    Rank rank;
    SequenceId sequence = no_sequence;
    bool operator<(const Queued& other) const { return rank < other.rank; }
  };
  /// The blocks of a sequence that has left: its own, and the units that it uses.
  struct KvHold {
    std::int64_t blocks = 0;
    std::vector<KvCache::Unit> units;
  };

  MicroBatch& batch_of(const Sequence& sequence) { return batches_[sequence.micro_batch]; }
  Rank rank(const Sequence& sequence) const;
  void yield_memory();
  std::int32_t cached_units(const Sequence& sequence) const;
  void count_cached(Sequence& sequence);
  void use_cached(Sequence& sequence);
  std::int64_t find_lower(const Sequence& sequence);
  void start_load(SequenceId id, std::int64_t blocks);
  void drop_load(SequenceId id);
  void release_blocks(Sequence& sequence);
  bool give_up_loads();
  std::int64_t steps_without_eviction() const;
  std::int64_t steps_unseen(std::int64_t steps, std::int64_t without_eviction) const;
  void publish_units(Sequence& sequence);
  void start_receptions(SimTime now);
  SequenceId start_reception(SimTime now);

  const SchedulerPolicy& policy_;
  SequencePool& pool_;
  const Speculation* speculation_;
  KvCache kv_;
  std::deque<MicroBatch> batches_;
  MicroBatch* batch_;  ///< The selected one.
  std::uint16_t selected_ = 0;
  SequenceHeap<Queued> waiting_;
  SequenceHeap<Queued> expected_;
  std::uint64_t arrivals_ = 0;
  int running_count_ = 0;            ///< Those whose KV is on its way included.
  std::int64_t tokens_outside_ = 0;  ///< KV tokens of the running sequences that are in no decode group.
  std::int64_t prompt_tokens_ = 0;
  bool has_preempted_ = false;
  Rank starved_ = nobody;  ///< Of the sequence that waits for memory.
  std::unique_ptr<KvTiers> tiers_;  ///< Null where there are none.
  Preemption preemption_;
  std::vector<SequenceId> loading_;
  std::vector<SequenceId> loaded_;  ///< Back in the queue with their blocks, in order of coming.
  std::vector<Load> load_starts_;
  std::vector<std::int64_t> to_load_;  ///< Tokens from each tier, as `find_lower` saw last.
  std::vector<SequenceId> reception_starts_;
  std::vector<KvHold> holds_;  ///< Recycled slots.
  std::vector<std::uint32_t> free_holds_;
  std::vector<cost::PrefillChunk> chunk_shapes_;
  std::vector<std::int32_t> contexts_;
};

}  // namespace rackwright::serving
