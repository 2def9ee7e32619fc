#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/serving/hash_index.h"

namespace rackwright::serving {

/// A plain LRU set of block hashes, as a router keeps one of what each instance may still have cached (it sees requests,
/// not evictions), and as a store of whole blocks has.
class PrefixLru {
 public:
  /// 0 blocks means no bound.
  explicit PrefixLru(std::size_t capacity_blocks) : capacity_(capacity_blocks) {}

  /// How many of the leading hashes are in the set.
  std::size_t match(std::span<const std::uint64_t> hashes) const;
  /// Uses the hashes in order: each becomes the latest, and the earliest is dropped when the set is full.
  void use(std::span<const std::uint64_t> hashes);
  std::size_t size() const { return index_.size(); }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t older = 0;
    std::uint32_t newer = 0;
  };

  std::size_t capacity_;
  HashIndex index_;
  std::vector<Entry> entries_{Entry{}};  ///< The first closes the ring: its `newer` is the oldest, its `older` the newest.
};

}  // namespace rackwright::serving
