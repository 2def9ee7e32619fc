#include "sim/serving/prefix_lru.h"

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
      unlink(at);
    } else if (capacity_ > 0 && index_.size() == capacity_) {
      at = entries_[0].newer;
      unlink(at);
      index_.erase(entries_[at].hash);
      entries_[at].hash = hash;
      index_.insert(hash, at);
    } else {
      at = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({hash, 0, 0});
      index_.insert(hash, at);
    }
    link_newest(at);
  }
}

void PrefixLru::unlink(std::uint32_t at) {
  entries_[entries_[at].older].newer = entries_[at].newer;
  entries_[entries_[at].newer].older = entries_[at].older;
}

void PrefixLru::link_newest(std::uint32_t at) {
  const std::uint32_t newest = entries_[0].older;
  entries_[at].older = newest;
  entries_[at].newer = 0;
  entries_[newest].newer = at;
  entries_[0].older = at;
}

}  // namespace rackwright::serving
