#include "models/cost/table_lines.h"

#include <array>
#include <cmath>

namespace rackwright::cost {
namespace {

/// Of the same bytes, against the same tokens, between two measured widths. Of eleven weights this was best when every width inside an
/// H200's grid was left out in turn: 95th percentile of 206 errors 10.8 %, mean 2.7 %; the same tokens alone 16.7 and 4.3 %, the same
/// bytes alone 11.3 and 2.4 %.
constexpr double same_bytes_weight = 0.7;

}  // namespace

GridTable::Value over_widths(const GridTable& table, double width, double tokens) {
  GridTable::Value value = table.at(std::array{width, tokens});
  const auto [narrower, wider] = table.around_first(width);
  if (!value.inside || narrower == wider) return value;
  const GridTable::Value left = table.at(std::array{narrower, tokens * width / narrower});
  const GridTable::Value right = table.at(std::array{wider, tokens * width / wider});
  if (!left.inside || !right.inside) return value;
  const double same_bytes = left.value + (width - narrower) / (wider - narrower) * (right.value - left.value);
  value.value = std::pow(value.value, 1 - same_bytes_weight) * std::pow(same_bytes, same_bytes_weight);
  return value;
}

}  // namespace rackwright::cost
