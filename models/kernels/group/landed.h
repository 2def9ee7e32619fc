#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "models/kernels/group/device_group.h"
#include "models/kernels/shapes/group_cases.h"

namespace rackwright::kernels {

/// 16-byte words of `result` that are not what the parts of `group`'s send buffers from `offset` bytes on give. A copy must be
/// the same in every bit, a sum of n within (n − 1) roundings to bf16 of the terms' magnitudes. Elements of a part are
/// multiples of 8. Runs on the current device's `stream` and waits for it.
unsigned long long wrong_words(const DeviceGroup& group, std::size_t offset, const ExpectedPart& part, const std::byte* result, cudaStream_t stream);

}  // namespace rackwright::kernels
