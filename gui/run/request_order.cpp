#include "gui/run/request_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rackwright::gui {

std::vector<std::uint32_t> orderedRows(const std::vector<results::RequestOutcome>& requests, const RequestFilter& filter,
                                       const RequestColumn& column, SortOrder order) {
  struct Keyed {
    double key;
    std::uint32_t row;
  };
  std::vector<Keyed> rows;
  rows.reserve(requests.size());
  const double sign = order == SortOrder::ascending ? 1 : -1;
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    if (!filter.acceptsAll() && !filter.accepts(requests[i])) continue;
    const double value = column.value(requests[i]);
    rows.push_back({std::isnan(value) ? std::numeric_limits<double>::infinity() : sign * value, i});
  }
  std::ranges::sort(rows, [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
  std::vector<std::uint32_t> ordered;
  ordered.reserve(rows.size());
  for (const Keyed& keyed : rows) ordered.push_back(keyed.row);
  return ordered;
}

}  // namespace rackwright::gui
