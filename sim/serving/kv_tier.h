#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/base/time.h"
#include "sim/serving/hash_index.h"

namespace rackwright::serving {

/// Whose a tier is: each instance has one of its own, or all of a pool share one.
enum class TierScope { instance, pool };

/// Memory below the device's that keeps KV: the host's, a drive, a store behind the network.
struct KvTierSpec {
  std::string name;
  std::int64_t capacity_tokens = 0;
  double tokens_per_s = 1;  ///< Of KV that one load brings to the devices, and another way that swapped KV takes out.
  SimTime latency;          ///< Of each load.
  TierScope scope = TierScope::instance;
};

/// A unit of KV on its way out of a tier: its hash and its tokens.
using EvictedUnit = std::pair<std::uint64_t, std::int64_t>;

/// What one tier holds: units under their hashes, the least recently used evicted first, and room set aside for
/// sequences that were swapped out, which is not evicted.
class KvTier {
 public:
  explicit KvTier(std::int64_t capacity_tokens) : capacity_(capacity_tokens), entries_(1) {}

  bool has(std::uint64_t hash) const { return index_.find(hash) != HashIndex::none; }
  std::int64_t used_tokens() const { return cached_ + reserved_; }
  /// It is the most recently used from now on.
  void touch(std::uint64_t hash);
  /// Takes in a unit that is not here, and adds to `evicted` what had to go; itself when it cannot fit.
  void put(std::uint64_t hash, std::int64_t tokens, std::vector<EvictedUnit>& evicted);
  /// Sets room aside, or returns false when even without units there is none.
  bool reserve(std::int64_t tokens, std::vector<EvictedUnit>& evicted);
  void release(std::int64_t tokens) { reserved_ -= tokens; }

 private:
  /// Entries form a ring in order of use, closed by entry 0.
  struct Entry {
    std::uint64_t hash = 0;
    std::int64_t tokens = 0;
    std::uint32_t older = 0;
    std::uint32_t newer = 0;
  };
  void make_room(std::int64_t tokens, std::vector<EvictedUnit>& evicted);

  std::int64_t capacity_;
  std::int64_t cached_ = 0;
  std::int64_t reserved_ = 0;
  HashIndex index_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> spare_;
};

}  // namespace rackwright::serving
