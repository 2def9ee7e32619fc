#pragma once

#include "models/kernels/group/group_profile.h"

namespace rackwright::kernels {

/// Copies between the two devices by mechanism, number of SMs and size. `save` is called after each mechanism.
void measure_peer_copies(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

/// Products on device 0 while a transfer from it runs without end. `save` is called after each product.
void measure_peer_overlap(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

}  // namespace rackwright::kernels
