#include "sim/serving/kv_tier.h"

#include "sim/serving/recency_ring.h"

namespace rackwright::serving {

void KvTier::touch(std::uint64_t hash) {
  const std::uint32_t at = index_.find(hash);
  unlink(entries_, at);
  append_newest(entries_, at);
}

void KvTier::put(std::uint64_t hash, std::int64_t tokens, std::vector<EvictedUnit>& evicted) {
  if (tokens > capacity_ - reserved_) {
    evicted.emplace_back(hash, tokens);
    return;
  }
  make_room(tokens, evicted);
  if (spare_.empty()) {
    spare_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t at = spare_.back();
  spare_.pop_back();
  entries_[at].hash = hash;
  entries_[at].tokens = tokens;
  append_newest(entries_, at);
  index_.insert(hash, at);
  cached_ += tokens;
}

bool KvTier::reserve(std::int64_t tokens, std::vector<EvictedUnit>& evicted) {
  if (tokens > capacity_ - reserved_) return false;
  make_room(tokens, evicted);
  reserved_ += tokens;
  return true;
}

void KvTier::make_room(std::int64_t tokens, std::vector<EvictedUnit>& evicted) {
  while (cached_ + reserved_ + tokens > capacity_) {
    const std::uint32_t oldest = entries_[0].newer;
    evicted.emplace_back(entries_[oldest].hash, entries_[oldest].tokens);
    cached_ -= entries_[oldest].tokens;
    index_.erase(entries_[oldest].hash);
    unlink(entries_, oldest);
    spare_.push_back(oldest);
  }
}

}  // namespace rackwright::serving
