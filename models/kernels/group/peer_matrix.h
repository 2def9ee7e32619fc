#pragma once

#include "models/kernels/group/group_profile.h"

namespace rackwright::kernels {

/// Copies by the copy engine between every ordered pair of devices, one pair at a time.
void measure_peer_matrix(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

/// Copies from several devices into one at once, each by the copy engine of its source. The time is the slowest one's.
void measure_fan_ins(const DeviceGroup& group, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

}  // namespace rackwright::kernels
