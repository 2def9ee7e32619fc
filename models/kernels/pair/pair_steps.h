#pragma once

#include "models/kernels/group/group_profile.h"

namespace rackwright::kernels {

/// Whole forward passes of a model cut over both devices, as one CUDA graph a rank with NCCL's all-reduces in it, with
/// rests between them: for a check of additivity, never for calibration.
void measure_pair_steps(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

/// The same kept up for seconds without rest: time, clock and power of each device.
void measure_pair_power(const DeviceGroup& pair, const GroupOptions& options, ProfileTable& table, const SaveTable& save);

}  // namespace rackwright::kernels
