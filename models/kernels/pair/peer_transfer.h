#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace rackwright::kernels {

/// Ways to move bytes into another GPU's memory. Sizes are multiples of 16, chunks of 128.

/// `sms` blocks of 1024 threads, 16-byte loads here and stores there.
void sm_store(const std::byte* from, std::byte* to, std::size_t bytes, int sms, cudaStream_t stream);

/// `sms` blocks, one thread each that drives bulk asynchronous copies of `chunk` bytes (the tensor memory
/// accelerator): into shared memory, then out to the peer. Needs compute capability 9.0.
void tma_store(const std::byte* from, std::byte* to, std::size_t bytes, int sms, int chunk, cudaStream_t stream);

}  // namespace rackwright::kernels
