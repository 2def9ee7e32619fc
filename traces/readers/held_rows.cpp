#include "traces/readers/held_rows.h"

#include <algorithm>

namespace rackwright::traces {

void HeldRows::add(const CleanRow& row) {
  PackedRow& packed = rows_.emplace_back(pack(row));
  packed.hashes_at = hashes_.size();
  hashes_.insert(hashes_.end(), row.request.block_hashes.begin(), row.request.block_hashes.end());
}

void HeldRows::sort() {
  std::ranges::sort(rows_, [](const PackedRow& a, const PackedRow& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.position < b.position;
  });
}

bool HeldRows::next(CleanRow& row) {
  if (given_ == rows_.size()) return false;
  const PackedRow& packed = rows_[given_++];
  unpack(packed, row);
  const auto first = hashes_.begin() + static_cast<std::ptrdiff_t>(packed.hashes_at);
  row.request.block_hashes.assign(first, first + packed.hash_count);
  return true;
}

}  // namespace rackwright::traces
