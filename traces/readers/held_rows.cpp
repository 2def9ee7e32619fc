#include "traces/readers/held_rows.h"

#include <algorithm>

namespace rackwright::traces {

void HeldRows::add(const CleanRow& row) {
  PackedRow& packed = rows_.emplace_back(pack(row));
  packed.words_at = words_.size();
  words_of(row, row_words_);
  words_.insert(words_.end(), row_words_.begin(), row_words_.end());
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
  const auto first = words_.begin() + static_cast<std::ptrdiff_t>(packed.words_at);
  row_words_.assign(first, first + static_cast<std::ptrdiff_t>(packed.words()));
  take_words(row_words_, packed, row);
  return true;
}

}  // namespace rackwright::traces
