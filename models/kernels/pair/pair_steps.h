#pragma once

#include <functional>

#include "models/kernels/pair/device_pair.h"
#include "models/kernels/pair/pair_profile.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// Whole forward passes of a model cut over both devices, as one CUDA graph a rank with NCCL's all-reduces in it, with
/// rests between them: for a check of additivity, never for calibration.
void measure_pair_steps(const DevicePair& pair, const PairOptions& options, ProfileTable& table, const std::function<void()>& save);

/// The same kept up for seconds without rest: time, clock and power of each device.
void measure_pair_power(const DevicePair& pair, const PairOptions& options, ProfileTable& table, const std::function<void()>& save);

}  // namespace rackwright::kernels
