#pragma once

#include "models/kernels/group/group_profile.h"

namespace rackwright::kernels {

/// NCCL's collectives over 2, 4, 8 … of the group's devices by message size, from CUDA graphs, and our own all-reduce over
/// two. Saves after each, so that a collective that hangs costs no more than itself.
void measure_collectives(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

}  // namespace rackwright::kernels
