#pragma once

#include <algorithm>
#include <type_traits>

#include "scenarios/results/damaged_stream.h"

// Columns of numbers in a record: one that holds nothing but zeros is left out.
namespace rackwright::results {

template <class Column>
void clear_zeros(Column& column) {
  if (std::all_of(column.begin(), column.end(), [](auto value) { return value == 0; })) column.Clear();
}

/// Row `row` of `count`. Throws DamagedStream where the column has another length.
template <class Column>
auto at(const Column& column, int row, int count) {
  using Value = std::decay_t<decltype(column.Get(0))>;
  if (column.empty()) return Value{0};
  if (column.size() != count) throw DamagedStream("a column of a record has another length");
  return column.Get(row);
}

}  // namespace rackwright::results
