#pragma once

#include <cuda_bf16.h>

namespace rackwright::kernels {

/// Eight bf16 values moved as 16 bytes and computed with as fp32.
struct Vector8 {
  float v[8];

  __device__ static Vector8 load(const __nv_bfloat16* from) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&raw);
    Vector8 result;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = __bfloat1622float2(pairs[i]);
      result.v[2 * i] = pair.x;
      result.v[2 * i + 1] = pair.y;
    }
    return result;
  }

  __device__ void store(__nv_bfloat16* to) const {
    uint4 raw;
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&raw);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
    *reinterpret_cast<uint4*>(to) = raw;
  }
};

}  // namespace rackwright::kernels
