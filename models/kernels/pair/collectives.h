#pragma once

#include <vector>

#include "models/kernels/pair/device_pair.h"
#include "models/kernels/pair/pair_profile.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// NCCL's collectives and our own all-reduce by message size, eager and from a graph.
void measure_collectives(const DevicePair& pair, const PairOptions& options, ProfileTable& table);

}  // namespace rackwright::kernels
