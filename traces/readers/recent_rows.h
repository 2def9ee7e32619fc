#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rackwright::traces {

/// Remembers the fingerprints of at least the last 16,384 rows (at most twice as many), in 512 KiB.
class RecentRows {
 public:
  /// True when the fingerprint was seen among them before.
  bool seen(std::uint64_t fingerprint) {
    fingerprint = std::max<std::uint64_t>(fingerprint, 1);  // 0 marks a free slot.
    if (contains(older_, fingerprint)) return true;
    std::size_t slot = fingerprint & mask;
    for (; newer_[slot] != 0; slot = (slot + 1) & mask) {
      if (newer_[slot] == fingerprint) return true;
    }
    newer_[slot] = fingerprint;
    if (++count_ == generation) {
      std::swap(newer_, older_);
      std::ranges::fill(newer_, 0);
      count_ = 0;
    }
    return false;
  }

 private:
  static constexpr std::size_t generation = 16'384;
  static constexpr std::size_t slots = 2 * generation;
  static constexpr std::size_t mask = slots - 1;

  static bool contains(const std::vector<std::uint64_t>& table, std::uint64_t fingerprint) {
    for (std::size_t slot = fingerprint & mask; table[slot] != 0; slot = (slot + 1) & mask) {
      if (table[slot] == fingerprint) return true;
    }
    return false;
  }

  std::vector<std::uint64_t> newer_ = std::vector<std::uint64_t>(slots);
  std::vector<std::uint64_t> older_ = std::vector<std::uint64_t>(slots);
  std::size_t count_ = 0;
};

}  // namespace rackwright::traces
