#pragma once

#include <cstdint>
#include <vector>

#include "models/llm/kv_layout.h"
#include "sim/serving/hash_index.h"

namespace rackwright::serving {

enum class PrefixCaching { off, on };

class KvTiers;

/// The paged KV memory of one instance: blocks as `llm::KvLayout` counts them.
///
/// A block that one sequence fills has no identity; who holds how many is counted in `Sequence::blocks` and in the
/// decode group. With prefix caching, full blocks of a prompt become a *unit* under the hash of all tokens up to its
/// end, those of the layers that keep every token: sequences share it, and when nobody uses it it stays, free to be evicted, until its blocks are needed. Free
/// blocks are taken in the order in which they were given back (vLLM's free queue), so that a unit is evicted when all
/// that was freed before it has been taken.
class KvCache {
 public:
  using Unit = std::uint32_t;
  static constexpr Unit no_unit = HashIndex::none;

  KvCache(std::int64_t blocks, llm::KvLayout layout, PrefixCaching caching = PrefixCaching::off);

  /// Evicted units are written to these tiers from now on.
  void evict_to(KvTiers* tiers) { tiers_ = tiers; }

  std::int64_t blocks() const { return blocks_; }
  /// Not in use; units that nobody uses count as free.
  std::int64_t free() const { return free_; }
  std::int64_t used() const { return blocks_ - free_; }
  const llm::KvLayout& layout() const { return layout_; }
  bool caches_prefixes() const { return caching_ == PrefixCaching::on; }
  /// Blocks of a sequence of `tokens` tokens.
  std::int64_t blocks_for(std::int64_t tokens) const { return layout_.blocks_for(tokens); }

  /// Blocks that can be taken before the first unit is evicted.
  std::int64_t free_before_eviction() const;
  /// Takes blocks that are known to be free, evicting units as needed.
  void take(std::int64_t count);
  void give_back(std::int64_t count);

  /// The unit under this hash, or `no_unit`.
  Unit find(std::uint64_t hash) const { return index_.find(hash); }
  bool is_used(Unit unit) const { return nodes_[unit].users > 0; }
  /// One more sequence uses the unit.
  void use(Unit unit);
  /// A sequence turns `blocks` of its own into a unit, which it uses. `no_unit`, and nothing happens, when another
  /// sequence uses a unit under this hash: both keep their copies, and later sequences find the first.
  Unit publish(std::uint64_t hash, std::int64_t blocks);
  /// A sequence uses the unit no longer; the last one leaves it to be evicted after all that is free already.
  void drop(Unit unit);

 private:
  /// A run of free blocks, or a unit. Free ones form a ring in order of freeing, closed by node 0.
  struct Node {
    std::uint64_t hash = 0;
    std::int64_t blocks = 0;
    std::int32_t users = 0;
    bool is_unit = false;
    std::uint32_t older = 0;
    std::uint32_t newer = 0;
  };
  std::uint32_t claim_node();
  void forget(std::uint32_t unit);

  std::int64_t blocks_;
  std::int64_t free_;
  llm::KvLayout layout_;
  PrefixCaching caching_;
  KvTiers* tiers_ = nullptr;
  HashIndex index_;
  std::vector<Node> nodes_;  ///< Empty without prefix caching: then only counts matter.
  std::vector<std::uint32_t> spare_nodes_;
};

}  // namespace rackwright::serving
