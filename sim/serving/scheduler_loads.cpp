// The part of the scheduler that brings KV back from lower tiers.
#include <algorithm>

#include "models/base/invariant.h"
#include "sim/serving/prefix_units.h"
#include "sim/serving/scheduler.h"

namespace rackwright::serving {

// What lower tiers have of the first waiting sequence beyond what is cached: how many free blocks it takes to load that,
// cached units that nobody uses included. The tokens from each tier are left in `to_load_`.
std::int64_t Scheduler::find_lower(const Sequence& sequence) {
  std::ranges::fill(to_load_, 0);
  if (sequence.swapped > 0) {
    to_load_.front() = sequence.swapped;
    return kv_.blocks_for(sequence.swapped);
  }
  const PrefixUnits units(sequence, kv_.layout());
  if (!kv_.caches_prefixes() || units.count == 0) return 0;
  const std::int32_t most = std::min(units.count, (sequence.to_compute - 1) / units.tokens);
  const std::int32_t cached = sequence.computed / units.tokens;
  std::int32_t at = cached;
  for (; at < most; ++at) {
    const auto tier = tiers_->find(units.hash(sequence, at));
    if (!tier) break;
    to_load_[*tier] += units.tokens;
  }
  return at == cached ? 0 : kv_.blocks_for(std::int64_t{at} * units.tokens) - sequence.blocks;
}

// A swapped sequence is loaded whole, wherever its prompt may be cached beside.
void Scheduler::start_load(SequenceId id, std::int64_t blocks) {
  Sequence& sequence = pool_[id];
  waiting_.remove(id);
  std::int64_t tokens = 0;
  for (const std::int64_t from_tier : to_load_) tokens += from_tier;
  if (sequence.swapped > 0) {
    sequence.computed = sequence.blocks = 0;
  } else {
    const PrefixUnits units(sequence, kv_.layout());
    const std::int32_t cached = sequence.computed / units.tokens;
    for (std::int64_t i = cached; i < cached + tokens / units.tokens; ++i) {
      const std::uint64_t hash = units.hash(sequence, static_cast<std::int32_t>(i));
      tiers_->touch(*tiers_->find(hash), hash);
    }
    use_cached(sequence);
    blocks = kv_.blocks_for(sequence.computed + tokens) - sequence.blocks;
  }
  kv_.take(blocks);
  sequence.blocks += static_cast<std::int32_t>(blocks);
  sequence.loaded = sequence.computed + static_cast<std::int32_t>(tokens);
  sequence.state = SequenceState::loading;
  sequence.fetched_since = batch_->planned_at;
  loading_.push_back(id);
  const SimTime ready = sequence.swapped > 0 ? std::max(batch_->planned_at, sequence.swapped_at) : batch_->planned_at;
  load_starts_.push_back({id, tiers_->load(to_load_, ready)});
  batch_->plan_limit = std::min<std::int64_t>(batch_->plan_limit, 1);  // The policy may have counted on these blocks.
}

void Scheduler::finish_load(SequenceId id) {
  Sequence& sequence = pool_[id];
  std::erase(loading_, id);
  loaded_.push_back(id);
  sequence.computed = sequence.loaded;
  if (kv_.caches_prefixes()) publish_units(sequence);
  sequence.state = SequenceState::waiting;
  waiting_.push({rank(sequence), id});
}

// Gives up the blocks of a loading or loaded sequence; what a tier has of it stays there.
void Scheduler::drop_load(SequenceId id) {
  Sequence& sequence = pool_[id];
  std::erase(loaded_, id);
  release_blocks(sequence);
  sequence.loaded = 0;
  sequence.computed = 0;
}

// Nothing runs and the first in the queue cannot: others hold the memory that it needs. True when some was given up.
bool Scheduler::give_up_loads() {
  if (running_count_ > 0 || is_loading() || waiting_.empty()) return false;
  bool has_given_up = false;
  for (std::size_t i = loaded_.size(); i > 0; --i) {
    if (loaded_[i - 1] == first_waiting()) continue;
    drop_load(loaded_[i - 1]);
    has_given_up = true;
  }
  return has_given_up;
}

}  // namespace rackwright::serving
