#pragma once

#include <cuda_runtime.h>

namespace rackwright::kernels {

/// Keeps one thread of one SM asleep for `us` microseconds: the device is in use and does next to nothing.
void device_pause(double us, cudaStream_t stream);

/// A kernel of one block that does nothing.
void empty_kernel(cudaStream_t stream);

}  // namespace rackwright::kernels
