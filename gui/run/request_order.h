#pragma once

#include <cstdint>
#include <vector>

#include "gui/run/request_filter.h"

namespace rackwright::gui {

enum class SortOrder { ascending, descending };

/// The rows that the filter accepts, by the column's value; requests without one come last either way, and equal
/// ones stay in the order of completion.
std::vector<std::uint32_t> orderedRows(const std::vector<results::RequestOutcome>& requests, const RequestFilter& filter,
                                       const RequestColumn& column, SortOrder order);

}  // namespace rackwright::gui
