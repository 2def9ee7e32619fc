// For how long plans hold.
#include <algorithm>

#include "sim/serving/scheduler.h"
#include "sim/serving/scheduler_policy.h"

namespace rackwright::serving {

std::int64_t Scheduler::steps_planned() {
  MicroBatch& batch = *batch_;
  if (!batch.chunks.empty()) return 1;
  const std::int64_t steps =
      std::min({batch.plan_limit, batch.decodes.steps_to_first_end(), batch.decodes.steps_to_first_milestone(), batch.decodes.steps_within(kv_.free())});
  const std::int64_t without_eviction = steps_without_eviction();
  if (tiers_ && tiers_->is_shared()) return batch.plan_limit = steps_unseen(steps, without_eviction);
  batch.plan_limit = without_eviction < steps ? without_eviction + 1 : steps;
  return batch.plan_limit;
}

// An eviction may shorten the cached prefix of the first waiting sequence, and with it what its next chunk takes: the
// step that evicts is the last before the next plan. It may also push what that sequence would load out of a tier.
std::int64_t Scheduler::steps_without_eviction() const {
  const bool is_seen = tiers_ && tiers_->is_shared() && kv_.caches_prefixes();
  const bool matters = is_seen || (kv_.caches_prefixes() && !waiting_.empty() && (tiers_ || pool_[first_waiting()].computed > 0));
  return matters ? batch_->decodes.steps_within(kv_.free_before_eviction()) : no_limit;
}

// What others evict into a shared tier may be what the first waiting sequence loads next, so that a plan is good for one
// step; and what this instance evicts is seen by others from the start of its step on, so that such a step is planned by itself.
std::int64_t Scheduler::steps_unseen(std::int64_t steps, std::int64_t without_eviction) const {
  return waiting_.empty() ? std::min(steps, std::max<std::int64_t>(without_eviction, 1)) : 1;
}

bool Scheduler::only_ages() const {
  if (speculation_ != nullptr || !expected_.empty() || is_loading() || !loaded_.empty() || starved_ != nobody) return false;
  if (tiers_ && tiers_->is_shared()) return false;
  if (!waiting_.empty() && running_count_ < policy_.max_running()) return false;
  int decoding = 0;
  for (const MicroBatch& batch : batches_) {
    if (!batch.chunks.empty() || !batch.received.empty() || !batch.decodes_run) return false;
    decoding += batch.decodes.size();
  }
  return decoding == running_count_;
}

std::int64_t Scheduler::steps_unplanned() const {
  const MicroBatch& batch = *batch_;
  return std::min({batch.plan_limit, batch.decodes.steps_to_first_end(), batch.decodes.steps_to_first_milestone()});
}

bool Scheduler::has_blocks_for(std::int64_t steps) const {
  std::int64_t blocks = 0;
  for (const MicroBatch& batch : batches_) blocks += batch.decodes.block_demand(steps);
  return blocks < kv_.free();
}

}  // namespace rackwright::serving
