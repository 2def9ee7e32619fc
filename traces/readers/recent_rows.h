#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rackwright::traces {

/// Remembers the fingerprints of at least the last 16,384 rows (at most twice as many), in 512 KiB.
class RecentRows {
 public:
  /// True when the fingerprint was seen among them before.
  bool seen(std::uint64_t fingerprint) {
    fingerprint = std::max<std::uint64_t>(fingerprint, 1);  // 0 marks a free slot.
    if (older_[slot_of(older_, fingerprint)] == fingerprint) return true;
    std::uint64_t& place = newer_[slot_of(newer_, fingerprint)];
    if (place == fingerprint) return true;
    place = fingerprint;
    if (++count_ == generation) {
      std::swap(newer_, older_);
      newer_.assign(newer_.size(), 0);
      count_ = 0;
    } else if (2 * count_ > newer_.size()) {
      grow();
    }
    return false;
  }

 private:
  using Table = std::vector<std::uint64_t>;  ///< Open addressing; a power of two in size, at most half full.
  static constexpr std::size_t generation = 16'384;

  /// Where the fingerprint is, or where it belongs.
  static std::size_t slot_of(const Table& table, std::uint64_t fingerprint) {
    const std::size_t mask = table.size() - 1;
    std::size_t slot = fingerprint & mask;
    while (table[slot] != 0 && table[slot] != fingerprint) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    Table larger(2 * newer_.size());
    for (const std::uint64_t known : newer_) {
      if (known != 0) larger[slot_of(larger, known)] = known;
    }
    newer_ = std::move(larger);
  }

  Table newer_ = Table(256);
  Table older_ = Table(256);
  std::size_t count_ = 0;  ///< Of `newer_`.
};

}  // namespace rackwright::traces
