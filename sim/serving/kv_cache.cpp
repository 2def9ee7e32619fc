#include "sim/serving/kv_cache.h"

#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "sim/serving/kv_tiers.h"
#include "sim/serving/recency_ring.h"

namespace rackwright::serving {

KvCache::KvCache(std::int64_t blocks, llm::KvLayout layout, PrefixCaching caching)
    : blocks_(blocks), free_(0), layout_(std::move(layout)), caching_(caching) {
  if (caches_prefixes()) nodes_.emplace_back();
  give_back(blocks);
}

std::int64_t KvCache::free_before_eviction() const {
  std::int64_t count = 0;
  for (std::uint32_t at = nodes_[0].newer; at != 0 && !nodes_[at].is_unit; at = nodes_[at].newer) count += nodes_[at].blocks;
  return count;
}

void KvCache::take(std::int64_t count) {
  invariant(count >= 0 && count <= free_, "no more KV blocks are taken than are free");
  free_ -= count;
  if (!caches_prefixes()) return;
  while (count > 0) {
    const std::uint32_t oldest = nodes_[0].newer;
    if (nodes_[oldest].is_unit) {
      if (tiers_ != nullptr) tiers_->write_back(nodes_[oldest].hash, nodes_[oldest].blocks / layout_.full_groups() * layout_.block_tokens());
      forget(oldest);
    }
    const std::int64_t taken = std::min(count, nodes_[oldest].blocks);
    nodes_[oldest].blocks -= taken;
    count -= taken;
    if (nodes_[oldest].blocks > 0) continue;
    unlink(nodes_, oldest);
    spare_nodes_.push_back(oldest);
  }
}

void KvCache::give_back(std::int64_t count) {
  free_ += count;
  invariant(count >= 0 && free_ <= blocks_, "no more KV blocks are given back than were taken");
  if (!caches_prefixes() || count == 0) return;
  const std::uint32_t newest = nodes_[0].older;
  if (newest != 0 && !nodes_[newest].is_unit) {
    nodes_[newest].blocks += count;
    return;
  }
  const std::uint32_t run = claim_node();
  nodes_[run].blocks = count;
  append_newest(nodes_, run);
}

void KvCache::use(Unit unit) {
  if (nodes_[unit].users++ > 0) return;
  free_ -= nodes_[unit].blocks;
  unlink(nodes_, unit);
}

KvCache::Unit KvCache::publish(std::uint64_t hash, std::int64_t blocks) {
  if (const Unit known = find(hash); known != no_unit) {
    if (is_used(known)) return no_unit;
    forget(known);  // Its own copy is as good and stays longer.
  }
  const std::uint32_t unit = claim_node();
  nodes_[unit].hash = hash;
  nodes_[unit].blocks = blocks;
  nodes_[unit].users = 1;
  nodes_[unit].is_unit = true;
  index_.insert(hash, unit);
  return unit;
}

void KvCache::drop(Unit unit) {
  invariant(nodes_[unit].users > 0, "a unit is dropped by those who use it");
  if (--nodes_[unit].users > 0) return;
  free_ += nodes_[unit].blocks;
  append_newest(nodes_, unit);
}

std::uint32_t KvCache::claim_node() {
  if (spare_nodes_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t at = spare_nodes_.back();
  spare_nodes_.pop_back();
  nodes_[at] = {};
  return at;
}

// An unused unit loses its hash; its blocks keep their place among the free ones.
void KvCache::forget(std::uint32_t unit) {
  index_.erase(nodes_[unit].hash);
  nodes_[unit].is_unit = false;
}

}  // namespace rackwright::serving
