#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cost/step_cost.h"
#include "sim/serving/decode_group.h"
#include "sim/serving/kv_cache.h"
#include "sim/serving/sequence.h"
#include "sim/serving/sequence_heap.h"

namespace rackwright::serving {

class SchedulerPolicy;

/// The queue, the running sequences and the KV memory of an instance, and the step planned next.
/// A policy reads it and changes it between steps; the `Instance` carries the plan out.
class Scheduler {
 public:
  Scheduler(const SchedulerPolicy& policy, SequencePool& pool, KvCache kv);

  // What a policy reads.
  const Sequence& operator[](SequenceId id) const { return pool_[id]; }
  const KvCache& kv() const { return kv_; }
  const DecodeGroup& decodes() const { return decodes_; }
  int waiting_count() const { return static_cast<int>(waiting_.size()); }
  SequenceId first_waiting() const { return waiting_.empty() ? no_sequence : waiting_.front().sequence; }
  /// The first waiting sequence, with the part of its prompt that is cached counted as computed; none if none waits.
  SequenceId next_to_admit();
  /// Running: admitted and not preempted, in order of admission; prefilling, decoding and held ones.
  int running_count() const { return running_count_; }
  int prefilling_count() const { return prefilling_count_; }
  int held_count() const { return running_count_ - receiving_count_ - prefilling_count_ - decodes_.size(); }
  SequenceId first_running() const { return first_running_; }
  SequenceId last_running() const { return last_running_; }
  /// Whether every prefilling sequence was admitted after every one that decodes or is held.
  bool prefills_come_last() const;
  std::int32_t tokens_left_to_prefill(SequenceId id) const { return pool_[id].to_compute - pool_[id].computed; }
  /// Blocks that are free once each decoding sequence has what its next token needs; may be negative.
  std::int64_t free_blocks() const { return kv_.free() - (decodes_run_ ? decodes_.block_demand(1) : 0); }
  /// Free blocks that a sequence outside the decode group takes to hold `tokens` KV tokens. For the next to admit this
  /// counts cached units that nobody uses: using them makes them unavailable to others.
  std::int64_t blocks_lacking(SequenceId id, std::int64_t tokens) const;

  /// Tokens of the sequence's prompt that are cached here.
  std::int64_t cached_tokens(const Sequence& sequence) const;
  /// Tokens whose KV exists, over all running sequences; those that several share count for each.
  std::int64_t kv_tokens() const { return tokens_outside_ + decodes_.computed_tokens(); }

  // What a policy does.
  /// Moves a waiting sequence to the end of the running ones.
  void admit(SequenceId id);
  /// Gives a sequence outside the decode group blocks for `tokens` KV tokens, which must be free.
  void reserve(SequenceId id, std::int64_t tokens);
  /// The step computes the next `tokens` tokens of a prefilling sequence's prompt; their blocks are reserved.
  void prefill(SequenceId id, std::int32_t tokens);
  /// Takes a running sequence's blocks and puts it back into the queue, to be computed anew.
  void preempt(SequenceId id);
  /// Leaves a decoding sequence out of the steps from now on; `resume` takes it back.
  void hold(SequenceId id);
  void resume(SequenceId id);
  /// No decode runs in this step.
  void pause_decodes() { decodes_run_ = false; }
  /// The plan holds for `steps` steps at most, even when nothing happens.
  void plan_again_after(std::int64_t steps) { plan_limit_ = steps; }

  // What the instance does.
  void enqueue(SequenceId id);
  bool may_admit(SequenceId id) const;
  /// Asks the policy for the next step, which starts at `now`. Afterwards `is_idle` says that there is none.
  void plan(SimTime now);
  bool is_idle() const { return chunks_.empty() && !runs_decodes(); }
  struct Chunk {
    SequenceId sequence = no_sequence;
    std::int32_t tokens = 0;
  };
  const std::vector<Chunk>& chunks() const { return chunks_; }
  bool runs_decodes() const { return decodes_run_ && !decodes_.empty(); }
  int chunk_count() const { return static_cast<int>(chunks_.size()); }
  std::int32_t prefill_tokens() const { return prefill_tokens_; }
  /// Whether the planned step differs by more than the decode group's age from the one that `shape` gave last.
  bool is_new_composition() const { return composition_changed_; }
  /// Steps for which the plan surely holds unless something happens. Asked again after some of them, it says at most
  /// what was left: a reason to plan anew does not pass.
  std::int64_t steps_planned();
  /// Of the planned step; its spans stay valid until the next call.
  cost::StepShape shape(bool with_contexts);

  /// A sequence that was computed elsewhere is to come; its blocks are taken when they are free, in order.
  void expect(SequenceId id);
  bool may_receive() const;
  /// The sequences for which `plan` took blocks, whose KV is to be fetched now.
  const std::vector<SequenceId>& reception_starts() const { return reception_starts_; }
  /// The prompt of a sequence that has blocks reserved here is computed: from now on it is received.
  void claim_reservation(SequenceId id);
  void drop_reservation(SequenceId id);
  /// Its KV is there; the next plan has it among the decodes.
  void receive(SequenceId id);
  /// Takes a running sequence out between steps and keeps its blocks, under the number returned.
  std::uint32_t hold_kv(SequenceId id);
  void release_kv(std::uint32_t hold);
  /// A sequence that is here: one that runs if there is one, else the first that waits.
  SequenceId first_in_line() const;
  bool holds_kv() const { return free_holds_.size() < holds_.size(); }

  enum class Then { boundary, next_step_runs };
  /// Ages the running decodes by `steps` steps of a stretch; `then` says whether the step after them is under way.
  void advance_decodes(const StepClock& clock, std::int64_t from, std::int64_t steps, Then then);
  /// Counts the chunks of the step that has ended, and adds the sequences whose prompt is complete, now held.
  void complete_prefills(std::vector<SequenceId>& sampled);
  /// Brings the counts and times of a decoding sequence up to date; others are.
  void bring_up_to_date(SequenceId id);
  /// Takes a sequence out, with its counts up to date: one that is in no step at any time, others between steps.
  void remove(SequenceId id);

 private:
  struct Queued {
    std::int64_t key = 0;
    std::uint64_t order = 0;
    SequenceId sequence = no_sequence;
    bool operator<(const Queued& other) const { return key != other.key ? key < other.key : order < other.order; }
  };
  struct KvHold {
    std::int64_t blocks = 0;
    std::vector<KvCache::Unit> units;
  };
  void append_running(SequenceId id);
  void resume_received();
  void start_receptions();

  /// How the hashes of a sequence's prompt map onto blocks: a unit is the larger of hash and block.
  struct Units {
    std::int32_t tokens = 0;  ///< Of one unit.
    std::int32_t hashes = 1;  ///< Of one unit; the last stands for it.
    std::int32_t blocks = 1;  ///< Of one unit.
    std::int32_t count = 0;   ///< Full units in the prompt.
  };
  Units units_of(const Sequence& sequence) const;
  std::int32_t cached_units(const Sequence& sequence, const Units& units) const;
  KvCache::Unit find_unit(const Sequence& sequence, const Units& units, std::int32_t index) const;
  std::int64_t steps_without_eviction() const;
  void publish_units(Sequence& sequence);
  void leave_running(SequenceId id);

  const SchedulerPolicy& policy_;
  SequencePool& pool_;
  KvCache kv_;
  DecodeGroup decodes_;
  SequenceHeap<Queued> waiting_;
  SequenceHeap<Queued> expected_;
  std::vector<SequenceId> reception_starts_;
  std::vector<SequenceId> received_;  ///< Held since their KV came; the next plan resumes them.
  std::vector<KvHold> holds_;  ///< Of sequences that have left; recycled slots.
  std::vector<std::uint32_t> free_holds_;
  std::uint64_t arrivals_ = 0;
  SequenceId first_running_ = no_sequence;
  SequenceId last_running_ = no_sequence;
  int running_count_ = 0;
  int prefilling_count_ = 0;
  int receiving_count_ = 0;  ///< Running as far as limits are concerned, but not in the list yet.
  bool has_preempted_ = false;
  std::int64_t tokens_outside_ = 0;  ///< KV tokens of the running sequences that are not in the decode group.

  std::vector<Chunk> chunks_;
  std::vector<cost::PrefillChunk> chunk_shapes_;
  std::vector<std::int32_t> contexts_;
  std::int32_t prefill_tokens_ = 0;
  bool decodes_run_ = true;
  std::int64_t plan_limit_ = no_limit;
  SimTime planned_at_;
  bool composition_changed_ = true;
};

}  // namespace rackwright::serving
