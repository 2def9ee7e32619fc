#pragma once

#include <functional>

#include "models/kernels/pair/device_pair.h"
#include "models/kernels/pair/pair_profile.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// NCCL's collectives and our own all-reduce by message size, eager and from a graph. Calls `save` after
/// each, so that a collective that hangs costs no more than itself.
void measure_collectives(const DevicePair& pair, const PairOptions& options, ProfileTable& table, const std::function<void()>& save);

}  // namespace rackwright::kernels
