#include <algorithm>
#include <numeric>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/hash.cuh"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr int threads = 256;

/// At most some thousand blocks: several on every SM of any device.
int blocks_for(std::size_t items) {
  return static_cast<int>(std::min<std::size_t>((items + threads - 1) / threads, 4096));
}

/// Two independent standard normal deviates.
__device__ float2 normal_pair(std::uint64_t counter, std::uint64_t seed) {
  const float u = (static_cast<float>(counter_hash(2 * counter, seed)) + 0.5f) * 0x1p-32f;
  const float angle = static_cast<float>(counter_hash(2 * counter + 1, seed)) * (6.2831853f * 0x1p-32f);
  const float radius = sqrtf(-2.0f * __logf(u));
  float s, c;
  __sincosf(angle, &s, &c);
  return {radius * c, radius * s};
}

__global__ void fill_bf16(uint4* out, std::size_t vectors, float sigma, std::uint64_t seed) {
  for (std::size_t v = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; v < vectors;
       v += static_cast<std::size_t>(gridDim.x) * threads) {
    __nv_bfloat162 pairs[4];
    for (int i = 0; i < 4; ++i) {
      const float2 z = normal_pair(4 * v + i, seed);
      pairs[i] = __floats2bfloat162_rn(sigma * z.x, sigma * z.y);
    }
    out[v] = *reinterpret_cast<uint4*>(pairs);
  }
}

__global__ void fill_fp8(uint4* out, std::size_t vectors, float sigma, std::uint64_t seed) {
  for (std::size_t v = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; v < vectors;
       v += static_cast<std::size_t>(gridDim.x) * threads) {
    __nv_fp8x2_storage_t pairs[8];
    for (int i = 0; i < 8; ++i) {
      const float2 z = normal_pair(8 * v + i, seed);
      pairs[i] = __nv_cvt_float2_to_fp8x2({sigma * z.x, sigma * z.y}, __NV_SATFINITE, __NV_E4M3);
    }
    out[v] = *reinterpret_cast<uint4*>(pairs);
  }
}

__global__ void fill_ints(int* out, std::size_t count, int below, std::uint64_t seed) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (i < count) out[i] = static_cast<int>((static_cast<std::uint64_t>(counter_hash(i, seed)) * below) >> 32);
}

__global__ void fill_pages(int* out, std::size_t count, int row_length, const int* starts, std::uint64_t pages, std::uint64_t a,
                           std::uint64_t b) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (i >= count) return;
  const std::uint64_t index = starts ? starts[i / row_length] + i % row_length : i;
  out[i] = static_cast<int>((a * index + b) % pages);
}

}  // namespace

void fill_normal(__nv_bfloat16* out, std::size_t count, float sigma, std::uint64_t seed, cudaStream_t stream) {
  fill_bf16<<<blocks_for(count / 8), threads, 0, stream>>>(reinterpret_cast<uint4*>(out), count / 8, sigma, seed);
  check_launch();
}

void fill_normal(__nv_fp8_e4m3* out, std::size_t count, float sigma, std::uint64_t seed, cudaStream_t stream) {
  fill_fp8<<<blocks_for(count / 16), threads, 0, stream>>>(reinterpret_cast<uint4*>(out), count / 16, sigma, seed);
  check_launch();
}

void fill_uniform(int* out, std::size_t count, int below, std::uint64_t seed, cudaStream_t stream) {
  fill_ints<<<static_cast<int>((count + threads - 1) / threads), threads, 0, stream>>>(out, count, below, seed);
  check_launch();
}

void fill_page_tables(int* out, int rows, int row_length, const int* starts, int pages, std::uint64_t seed, cudaStream_t stream) {
  std::uint64_t a = counter_hash(1, seed) % static_cast<std::uint64_t>(pages) + 1;
  while (std::gcd(a, static_cast<std::uint64_t>(pages)) != 1) ++a;
  const std::uint64_t b = counter_hash(2, seed) % static_cast<std::uint64_t>(pages);
  const std::size_t count = static_cast<std::size_t>(rows) * row_length;
  fill_pages<<<static_cast<int>((count + threads - 1) / threads), threads, 0, stream>>>(out, count, row_length, starts, pages, a, b);
  check_launch();
}

void poison(__nv_bfloat16* out, std::size_t count, cudaStream_t stream) {
  check(cudaMemsetAsync(out, 0xff, count * sizeof *out, stream));
}

}  // namespace rackwright::kernels
