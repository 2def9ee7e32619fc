#pragma once

#include "models/kernels/pair/device_pair.h"
#include "models/kernels/pair/pair_profile.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// Copies between the two devices by mechanism, number of SMs and size.
void measure_peer_copies(const DevicePair& pair, const PairOptions& options, ProfileTable& table);

/// Products on device 0 while a transfer from it runs without end.
void measure_peer_overlap(const DevicePair& pair, const PairOptions& options, ProfileTable& table);

}  // namespace rackwright::kernels
