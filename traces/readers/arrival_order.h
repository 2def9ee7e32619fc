#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "traces/readers/clean_row.h"

namespace rackwright::traces {

/// Puts rows in order of arrival, and rows of one instant in order of their lines.
class ArrivalOrder {
 public:
  virtual ~ArrivalOrder() = default;
  virtual void push(CleanRow&& row) = 0;
  /// No more rows follow.
  virtual void close() = 0;
  /// The next row, once no later `push` can precede it; false until then, and at the end.
  virtual bool pop(CleanRow& row) = 0;
};

/// For rows of which none is more than `lateness` behind the newest before it: holds only the rows of that span.
std::unique_ptr<ArrivalOrder> order_within(SimTime lateness);

/// For any rows: sorts runs of `run_rows` and merges them from temporary files, which vanish with the object.
std::unique_ptr<ArrivalOrder> order_through_files(std::size_t run_rows);

}  // namespace rackwright::traces
