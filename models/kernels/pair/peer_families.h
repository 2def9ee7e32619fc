#pragma once

#include <functional>

#include "models/kernels/pair/device_pair.h"
#include "models/kernels/pair/pair_profile.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// Copies between the two devices by mechanism, number of SMs and size. `save` is called after each mechanism.
void measure_peer_copies(const DevicePair& pair, const PairOptions& options, ProfileTable& table, const std::function<void()>& save);

/// Products on device 0 while a transfer from it runs without end. `save` is called after each product.
void measure_peer_overlap(const DevicePair& pair, const PairOptions& options, ProfileTable& table, const std::function<void()>& save);

}  // namespace rackwright::kernels
