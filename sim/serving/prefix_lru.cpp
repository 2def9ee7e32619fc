#include "sim/serving/prefix_lru.h"

#include "sim/serving/recency_ring.h"

namespace rackwright::serving {

std::size_t PrefixLru::match(std::span<const std::uint64_t> hashes) const {
  std::size_t count = 0;
  while (count < hashes.size() && index_.find(hashes[count]) != HashIndex::none) ++count;
  return count;
}

void PrefixLru::use(std::span<const std::uint64_t> hashes) {
  for (const std::uint64_t hash : hashes) {
    std::uint32_t at = index_.find(hash);
    if (at != HashIndex::none) {
      unlink(entries_, at);
    } else if (capacity_ > 0 && index_.size() == capacity_) {
      at = entries_[0].newer;
      unlink(entries_, at);
      index_.erase(entries_[at].hash);
      entries_[at].hash = hash;
      index_.insert(hash, at);
    } else {
      at = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({hash, 0, 0});
      index_.insert(hash, at);
    }
    append_newest(entries_, at);
  }
}

}  // namespace rackwright::serving
