#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/base/step_clock.h"
#include "models/base/time.h"
#include "models/llm/kv_layout.h"
#include "sim/serving/gap_history.h"
#include "sim/serving/sequence.h"
#include "sim/serving/sequence_heap.h"
#include "sim/serving/speculation.h"

namespace rackwright::serving {

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The sequences that each compute one token in every step, and therefore age together.
///
/// A member's KV length is (its length at age 0) + age, so that a stretch of k steps only adds k to the age.
/// What a jump needs is in closed form: the first end is the front of a heap, and the new KV blocks of k steps
/// follow from how many members stand at each place inside a block:
///
///   blocks(k) = ⌊k / b⌋ · n + members whose block is full within the next k mod b steps     (b tokens a block)
///
/// A member counts once for each group of layers that still takes blocks; those whose window is full by then are taken off.
///
/// With speculation a step may emit several tokens of a member, which are drawn before it. Nothing is in closed form then:
/// the group ages one step at a time.
class DecodeGroup {
 public:
  DecodeGroup(SequencePool& pool, llm::KvLayout layout, const Speculation* speculation = nullptr);

  bool empty() const { return members_.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(members_.size()); }

  /// Takes in a sequence whose prompt is computed and that has tokens left to emit. It holds either just the
  /// blocks of its KV, and takes one whenever the last is full, or all that it will ever need.
  void add(SequenceId id);
  /// Lets a member go and brings its counts and times up to date. Blocks granted ahead must have been used.
  void remove(SequenceId id);

  /// Brings a member's counts and times up to date while it stays.
  void bring_up_to_date(SequenceId id);

  /// KV tokens that the next step attends to, each member's new one included: sum and longest.
  std::int64_t context_tokens() const { return computed_tokens() + size(); }
  /// KV tokens that all members have computed.
  std::int64_t computed_tokens() const { return bases_sum_ + age_ * size(); }
  std::int32_t context_max() const;
  void contexts(std::vector<std::int32_t>& into) const;
  /// KV tokens that a member has computed.
  std::int32_t computed(SequenceId id) const { return static_cast<std::int32_t>(members_.of(id).base + age_); }
  /// Tokens that members emitted in the last step beyond one each.
  std::int64_t extra_tokens() const { return extra_tokens_; }

  /// Blocks that all members will still take until their last tokens, beyond those granted.
  std::int64_t blocks_to_come() const { return blocks_to_come_; }
  /// Steps until the first member emits its last token.
  std::int64_t steps_to_first_end() const {
    if (empty()) return no_limit;
    return speculation_ != nullptr ? 1 : members_.front().end_age - age_;
  }
  /// The first member (in order of arrival) that has emitted its last token, or none.
  SequenceId ended() const { return !empty() && members_.front().end_age == age_ ? members_.front().sequence : no_sequence; }

  /// Hears of a member whose milestone is ahead; `add` does it too.
  void watch(SequenceId id);
  /// Steps until the first member reaches its milestone.
  std::int64_t steps_to_first_milestone() const {
    if (watched_.empty()) return no_limit;
    return speculation_ != nullptr ? 1 : watched_.front().age - age_;
  }
  /// A member that has reached its milestone, told once, in order of reaching and arrival; or none.
  SequenceId reached();

  /// Blocks that the next `steps` steps take beyond those granted already.
  std::int64_t block_demand(std::int64_t steps) const;
  /// Steps whose demand is at most `blocks`: the most there are while no window fills, and never fewer than one of those.
  std::int64_t steps_within(std::int64_t blocks) const;
  /// Counts the blocks of the next `steps` steps as taken, and returns how many are new.
  std::int64_t grant(std::int64_t steps);

  /// Ages by the steps `from` to `from + steps - 1` of a stretch.
  void advance(const StepClock& clock, std::int64_t from, std::int64_t steps);
  /// When the last step ended in which members other than the latecomers emitted a token.
  SimTime last_boundary() const { return last_boundary_; }
  /// Members that have emitted no token with the group yet, and emitted their last one at another time.
  const std::vector<SequenceId>& latecomers() const { return latecomers_; }

 private:
  struct Member {
    std::int64_t end_age = 0;
    std::uint64_t order = 0;
    std::int64_t base = 0;        ///< KV tokens at age 0; may be negative. Extra tokens move it up, and the end down.
    std::int64_t joined_age = 0;  ///< Gaps after this age are its own.
    std::int64_t final_blocks = 0;
    std::int32_t ahead = 0;       ///< Extra tokens of the next step.
    SequenceId sequence = no_sequence;
    std::int32_t weight = 0;      ///< Blocks that it takes when its last are full; 0: none, ever.
    bool operator<(const Member& other) const {
      return end_age != other.end_age ? end_age < other.end_age : order < other.order;
    }
  };

  /// From this age on a member takes so many fewer blocks at a time.
  struct Narrowing {
    std::int64_t age = 0;
    SequenceId sequence = no_sequence;
    std::int32_t weight = 0;
  };
  /// A member and the age at which it reaches its milestone, unless it speculates.
  struct Watched {
    std::int64_t age = 0;
    std::uint64_t order = 0;
    SequenceId sequence = no_sequence;
  };
  static bool is_later(const Watched& a, const Watched& b) { return a.age != b.age ? a.age > b.age : a.order > b.order; }
  std::int32_t emitted(const Member& member) const;
  void forget_milestone(SequenceId id);

  /// Members that need a block for the step from this age on stand here.
  std::int32_t place(std::int64_t age) const;
  std::int64_t demand_between(std::int64_t from_age, std::int64_t to_age) const;
  void push_gap(std::int64_t age, SimTime gap);
  void draw_ahead(Member& member) const;
  void foresee_narrowings(Member& member);
  void narrow();
  std::int64_t demand_of_cycle() const;
  void accept_drafts();

  SequencePool& pool_;
  llm::KvLayout layout_;
  std::int32_t block_tokens_;
  const Speculation* speculation_;
  std::int64_t extra_tokens_ = 0;
  SequenceHeap<Member> members_;
  std::int64_t age_ = 0;
  std::int64_t granted_age_ = 0;  ///< Blocks of the steps before this age are taken.
  std::int64_t bases_sum_ = 0;
  std::int64_t blocks_to_come_ = 0;
  std::int64_t growing_ = 0;  ///< Weights of all.
  std::vector<std::int32_t> standing_;  ///< Their weights by place.
  std::vector<Narrowing> narrowings_;   ///< Ahead, in no order.
  std::int64_t first_narrowing_ = no_limit;  ///< Not after their ages.
  mutable std::int64_t base_max_ = 0;
  mutable bool base_max_is_stale_ = false;
  SimTime last_boundary_;
  std::vector<SequenceId> latecomers_;
  std::vector<Watched> watched_;  ///< A heap, the first in front.
  GapHistory gaps_;
  std::size_t gaps_to_prune_ = 64;
};

}  // namespace rackwright::serving
