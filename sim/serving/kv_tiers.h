#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/serving/kv_tier.h"

namespace rackwright::serving {

/// What the tiers of an instance did.
struct KvTierTotals {
  std::int64_t loaded_tokens = 0;   ///< Brought back to the devices.
  std::int64_t written_tokens = 0;  ///< Taken in, by eviction or swap.
  SimTime loading;                  ///< Time that its link spent on loads.
};

/// What a tier holds, and when its link is free: the state that instances share, if they do.
struct TierStore {
  explicit TierStore(std::int64_t capacity_tokens) : units(capacity_tokens) {}
  KvTier units;
  SimTime load_free;  ///< When the link to the devices has done all that it was asked for,
  SimTime swap_free;  ///< and the one the other way.
};

/// By tier: the store that others use too, or null.
using SharedStores = std::vector<std::shared_ptr<TierStore>>;

/// The tiers below the device memory of one instance, from the nearest to the farthest.
///
/// A unit that is evicted from the device is written to the first tier; what a tier evicts goes to the next one that does
/// not have it, and what the last one evicts is gone. A loaded unit stays in its tier (inclusive). Loads from one tier
/// follow one another at its rate; those from several tiers run side by side. Writing runs the other way, and nobody
/// waits for it but the swapped sequence that is to come back. A tier of the pool finds what any of its instances has
/// evicted, and serves all their loads one after another.
///
/// The order in which units are written and touched decides what is where; the time does not, so that evictions of many
/// steps may be told at once. With a shared store the order runs over all instances, and each must tell its own in time.
class KvTiers {
 public:
  explicit KvTiers(std::vector<KvTierSpec> specs, const SharedStores& shared = {});

  /// Whether other instances see what is written here.
  bool is_shared() const { return is_shared_; }

  std::size_t size() const { return stores_.size(); }
  const std::vector<KvTierSpec>& specs() const { return specs_; }
  const std::vector<KvTierTotals>& totals() const { return totals_; }

  /// The first tier that has the unit.
  std::optional<std::size_t> find(std::uint64_t hash) const;
  void touch(std::size_t tier, std::uint64_t hash) { stores_[tier]->units.touch(hash); }
  /// A unit has been evicted from the device.
  void write_back(std::uint64_t hash, std::int64_t tokens);

  /// Keeps a swapped sequence in the first tier, and says when all of it is there; nothing when it has no room.
  std::optional<SimTime> swap_out(std::int64_t tokens, SimTime now);
  /// A swapped sequence needs its room no longer.
  void release(std::int64_t tokens) { stores_.front()->units.release(tokens); }

  /// Loses all units, but for those of shared tiers. No sequence is swapped.
  void forget();

  /// Starts a load of so many tokens from each tier, not before `ready`, and says when all of it has arrived.
  SimTime load(const std::vector<std::int64_t>& tokens, SimTime ready);

 private:
  void pass_on(std::size_t from);

  std::vector<KvTierSpec> specs_;
  SharedStores stores_;  ///< Of every tier.
  bool is_shared_ = false;
  std::vector<KvTierTotals> totals_;
  std::vector<EvictedUnit> evicted_;
};

}  // namespace rackwright::serving
