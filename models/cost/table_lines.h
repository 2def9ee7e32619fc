#pragma once

#include "models/cost/grid_table.h"

namespace rackwright::cost {

/// A memory-bound operator between two measured widths. What a kernel moves decides whether it finds it in a cache, so the line
/// between as many bytes at either width counts, in logarithms, beside the one between as many tokens.
GridTable::Value over_widths(const GridTable& table, double width, double tokens);

}  // namespace rackwright::cost
