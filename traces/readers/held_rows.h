#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "traces/readers/packed_row.h"

namespace rackwright::traces {

/// All rows of a small file, packed; read back in order once, or dropped when the file turns out to be large.
class HeldRows {
 public:
  void add(const CleanRow& row);
  /// By arrival, then by place in the file.
  void sort();
  bool next(CleanRow& row);
  void drop() { *this = {}; }

 private:
  std::deque<PackedRow> rows_;  ///< A deque grows without copying.
  std::deque<std::uint64_t> words_;
  std::vector<std::uint64_t> row_words_;  ///< Of one row; kept to save its allocation.
  std::size_t given_ = 0;
};

}  // namespace rackwright::traces
