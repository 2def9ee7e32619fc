#include "sim/serving/decode_group.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::serving {

DecodeGroup::DecodeGroup(SequencePool& pool, llm::KvLayout layout, const Speculation* speculation)
    : pool_(pool), layout_(std::move(layout)), block_tokens_(layout_.block_tokens()), speculation_(speculation), members_(pool),
      standing_(static_cast<std::size_t>(block_tokens_)) {}

// A member with `base` has base + age tokens before the step at `age`; it needs a block when those fill
// their blocks: base + age ≡ 0 (mod b). It stands at place base mod b, and the step at `age` serves place -age mod b.
std::int32_t DecodeGroup::place(std::int64_t age) const {
  const std::int64_t remainder = -age % block_tokens_;
  return static_cast<std::int32_t>(remainder < 0 ? remainder + block_tokens_ : remainder);
}

void DecodeGroup::add(SequenceId id) {
  Sequence& sequence = pool_[id];
  invariant(sequence.emitted < sequence.output_tokens, "a sequence joins the decode group with tokens left to emit");
  invariant(granted_age_ == age_, "the decode group changes between steps only");
  const std::int32_t tokens_left = sequence.output_tokens - sequence.emitted;
  const std::int64_t blocks = layout_.blocks_for(sequence.computed);
  const std::int64_t final_blocks = layout_.blocks_for(sequence.computed + tokens_left);
  const bool grows = sequence.blocks < final_blocks;
  invariant(!grows || sequence.blocks == blocks, "a decoding sequence holds the blocks of its KV, or all it will need");

  if (empty()) {
    last_boundary_ = sequence.last_token;
    gaps_.clear();
  }
  Member member{age_ + tokens_left, sequence.order, sequence.computed - age_, age_, final_blocks, 0, id, grows ? layout_.groups() : 0};
  if (speculation_ != nullptr) draw_ahead(member);
  if (sequence.last_token != last_boundary_) {
    latecomers_.push_back(id);
    ++member.joined_age;
  }
  base_max_ = empty() ? member.base : std::max(base_max_, member.base);
  base_max_is_stale_ = base_max_is_stale_ && !empty();
  bases_sum_ += member.base;
  if (grows) {
    blocks_to_come_ += final_blocks - blocks;
    if (speculation_ == nullptr && layout_.has_windows()) foresee_narrowings(member);
    growing_ += member.weight;
    if (speculation_ == nullptr) standing_[place(-member.base)] += member.weight;
  }
  members_.push(member);
  sequence.state = SequenceState::decoding;
  if (sequence.milestone > sequence.emitted) watch(id);
}

std::int32_t DecodeGroup::emitted(const Member& member) const {
  return pool_[member.sequence].output_tokens - static_cast<std::int32_t>(member.end_age - age_);
}

void DecodeGroup::watch(SequenceId id) {
  const Member& member = members_.of(id);
  const std::int32_t left = pool_[id].milestone - emitted(member);
  if (left <= 0) return;
  watched_.push_back({age_ + left, member.order, id});
  std::ranges::push_heap(watched_, is_later);
}

SequenceId DecodeGroup::reached() {
  const auto has_reached = [&](const Watched& watched) {
    return speculation_ != nullptr ? emitted(members_.of(watched.sequence)) >= pool_[watched.sequence].milestone : watched.age == age_;
  };
  // Who speculates may get there before its turn.
  const auto first = speculation_ != nullptr ? std::ranges::find_if(watched_, has_reached) : watched_.begin();
  if (first == watched_.end() || !has_reached(*first)) return no_sequence;
  const SequenceId id = first->sequence;
  forget_milestone(id);
  return id;
}

void DecodeGroup::forget_milestone(SequenceId id) {
  if (!watched_.empty() && watched_.front().sequence == id) {
    std::ranges::pop_heap(watched_, is_later);
    watched_.pop_back();
  } else if (std::erase_if(watched_, [id](const Watched& watched) { return watched.sequence == id; }) > 0) {
    std::ranges::make_heap(watched_, is_later);
  }
}

void DecodeGroup::remove(SequenceId id) {
  invariant(granted_age_ == age_, "the decode group changes between steps only");
  bring_up_to_date(id);
  const Member member = members_.remove(id);
  Sequence& sequence = pool_[id];
  sequence.state = SequenceState::held;
  std::erase(latecomers_, id);
  if (sequence.milestone > 0) forget_milestone(id);  // It may have reached it in the very step after which it leaves.
  bases_sum_ -= member.base;
  if (member.base == base_max_) base_max_is_stale_ = true;
  if (member.weight == 0) return;
  growing_ -= member.weight;
  if (speculation_ == nullptr) standing_[place(-member.base)] -= member.weight;
  sequence.blocks = static_cast<std::int32_t>(layout_.blocks_for(sequence.computed));
  blocks_to_come_ -= member.final_blocks - sequence.blocks;
  if (!narrowings_.empty()) std::erase_if(narrowings_, [id](const Narrowing& one) { return one.sequence == id; });
}

// At least one token is the target's own; none is emitted beyond the last.
void DecodeGroup::draw_ahead(Member& member) const {
  const Sequence& sequence = pool_[member.sequence];
  const auto left = static_cast<std::int32_t>(member.end_age - age_);
  const std::int32_t emitted = sequence.output_tokens - left;
  member.ahead = std::min(speculation_->tokens_of_cycle(sequence.draws(), emitted, sequence.acceptance), left) - 1;
}

std::int64_t DecodeGroup::demand_of_cycle() const {
  std::int64_t blocks = 0;
  for (const Member& member : members_.entries()) {
    if (member.weight == 0) continue;
    const std::int64_t computed = member.base + age_;
    blocks += layout_.blocks_for(computed + 1 + member.ahead) - layout_.blocks_for(computed);
  }
  return blocks;
}

void DecodeGroup::accept_drafts() {
  extra_tokens_ = 0;
  members_.change_all([&](Member& member) {
    member.base += member.ahead;
    member.end_age -= member.ahead;
    extra_tokens_ += member.ahead;
    if (member.end_age > age_) draw_ahead(member);
  });
  bases_sum_ += extra_tokens_;
  base_max_is_stale_ = true;
}

void DecodeGroup::bring_up_to_date(SequenceId id) {
  Sequence& sequence = pool_[id];
  const std::int32_t computed = this->computed(id);
  sequence.emitted += computed - sequence.computed;
  sequence.computed = computed;
  if (std::ranges::find(latecomers_, id) != latecomers_.end()) return;
  sequence.longest_gap = std::max(sequence.longest_gap, gaps_.longest_since(members_.of(id).joined_age));
  sequence.last_token = last_boundary_;
}

std::int32_t DecodeGroup::context_max() const {
  if (empty()) return 0;
  if (base_max_is_stale_) {
    base_max_ = std::ranges::max(members_.entries(), {}, &Member::base).base;
    base_max_is_stale_ = false;
  }
  return static_cast<std::int32_t>(base_max_ + age_ + 1);
}

void DecodeGroup::contexts(std::vector<std::int32_t>& into) const {
  for (const Member& member : members_.entries()) into.push_back(static_cast<std::int32_t>(member.base + age_ + 1));
}

// A group whose window ends at row r takes its last block at r − 1 rows, and would take the next when those of r are full.
void DecodeGroup::foresee_narrowings(Member& member) {
  for (const llm::KvLayout::Limit& limit : layout_.limits()) {
    const std::int64_t age = limit.rows * block_tokens_ - member.base;
    if (age <= age_) {
      member.weight -= limit.groups;
      continue;
    }
    narrowings_.push_back({age, member.sequence, limit.groups});
    first_narrowing_ = std::min(first_narrowing_, age);
  }
}

// Those whose age has come. A step that was granted at that age has been counted without them.
void DecodeGroup::narrow() {
  first_narrowing_ = no_limit;
  std::erase_if(narrowings_, [&](const Narrowing& one) {
    if (one.age > age_) {
      first_narrowing_ = std::min(first_narrowing_, one.age);
      return false;
    }
    const Member& member = members_.of(one.sequence);
    members_.change(one.sequence, [&](Member& changed) { changed.weight -= one.weight; });
    growing_ -= one.weight;
    standing_[place(-member.base)] -= one.weight;
    return true;
  });
}

std::int64_t DecodeGroup::demand_between(std::int64_t from_age, std::int64_t to_age) const {
  if (growing_ == 0 || to_age <= from_age) return 0;
  if (speculation_ != nullptr) return demand_of_cycle();
  const std::int64_t steps = to_age - from_age;
  std::int64_t blocks = steps / block_tokens_ * growing_;
  std::int32_t at = place(from_age);
  for (std::int64_t i = steps % block_tokens_; i > 0; --i) {
    blocks += standing_[at];
    at = at == 0 ? block_tokens_ - 1 : at - 1;
  }
  if (to_age <= first_narrowing_) return blocks;
  for (const Narrowing& one : narrowings_)
    if (one.age < to_age) blocks -= ((to_age - 1 - one.age) / block_tokens_ + 1) * one.weight;
  return blocks;
}

std::int64_t DecodeGroup::block_demand(std::int64_t steps) const { return demand_between(granted_age_, age_ + steps); }

std::int64_t DecodeGroup::steps_within(std::int64_t blocks) const {
  if (growing_ == 0) return no_limit;
  if (speculation_ != nullptr) return granted_age_ > age_ || demand_of_cycle() <= blocks ? 1 : 0;
  std::int64_t steps = blocks / growing_ * block_tokens_;
  std::int64_t left = blocks % growing_;
  std::int32_t at = place(granted_age_);
  while (standing_[at] <= left) {  // Ends within b steps, which together take more than is left.
    left -= standing_[at];
    at = at == 0 ? block_tokens_ - 1 : at - 1;
    ++steps;
  }
  return steps + granted_age_ - age_;
}

std::int64_t DecodeGroup::grant(std::int64_t steps) {
  const std::int64_t blocks = block_demand(steps);
  granted_age_ = std::max(granted_age_, age_ + steps);
  blocks_to_come_ -= blocks;
  return blocks;
}

void DecodeGroup::advance(const StepClock& clock, std::int64_t from, std::int64_t steps) {
  invariant(steps >= 0, "a decode group ages forward");
  if (steps == 0) return;
  const SimTime first_end = clock.boundary(from + 1);
  for (const SequenceId id : latecomers_)
    pool_[id].longest_gap = std::max(pool_[id].longest_gap, first_end - pool_[id].last_token);
  latecomers_.clear();
  push_gap(age_ + 1, first_end - last_boundary_);
  if (steps > 1) push_gap(age_ + steps, clock.step_duration(from + steps - 1));
  last_boundary_ = clock.boundary(from + steps);
  age_ += steps;
  granted_age_ = std::max(granted_age_, age_);
  if (age_ >= first_narrowing_) narrow();
  if (speculation_ == nullptr) return;
  invariant(steps == 1, "a group that speculates ages one step at a time");
  accept_drafts();
}

void DecodeGroup::push_gap(std::int64_t age, SimTime gap) {
  gaps_.push(age, gap);
  if (gaps_.size() < gaps_to_prune_) return;
  gaps_.forget_until(std::ranges::min(members_.entries(), {}, &Member::joined_age).joined_age);
  gaps_to_prune_ = std::max<std::size_t>(64, 2 * gaps_.size());
}

}  // namespace rackwright::serving
