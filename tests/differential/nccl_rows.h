#pragma once

#include <vector>

#include "tests/differential/network_rows.h"

namespace rackwright::test {

/// Published times of NCCL's collectives, each series fitted to three of its rows.
std::vector<NetworkSeries> nccl_series();

}  // namespace rackwright::test
