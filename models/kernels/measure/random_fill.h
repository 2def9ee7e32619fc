#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace rackwright::kernels {

/// Normal deviates of standard deviation `sigma` by Box-Muller over a counter hash; the same seed and
/// index give the same value. `count` must be a multiple of 8 (16 for fp8), `out` aligned to 16 bytes.
void fill_normal(__nv_bfloat16* out, std::size_t count, float sigma, std::uint64_t seed, cudaStream_t stream);
void fill_normal(__nv_fp8_e4m3* out, std::size_t count, float sigma, std::uint64_t seed, cudaStream_t stream);

/// Uniform integers in [0, below).
void fill_uniform(int* out, std::size_t count, int below, std::uint64_t seed, cudaStream_t stream);

/// Page tables of `rows` sequences, `row_length` entries each. Entry j of row r is (a·(starts[r] + j) + b)
/// mod `pages` with a coprime to `pages`: all different as long as starts counts the pages before r and
/// their sum is at most `pages`, and neighbours lie far apart. With `starts` null, starts[r] = r·row_length.
void fill_page_tables(int* out, int rows, int row_length, const int* starts, int pages, std::uint64_t seed, cudaStream_t stream);

/// Sets every element to a quiet NaN, so that what a kernel forgot to write is seen.
void poison(__nv_bfloat16* out, std::size_t count, cudaStream_t stream);

}  // namespace rackwright::kernels
