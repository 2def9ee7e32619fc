#pragma once

#include <cstdint>

namespace rackwright::kernels {

/// Finalizer of MurmurHash3 over a counter mixed with the seed: enough for test inputs, cheap enough
/// to refill gigabytes between repetitions.
__host__ __device__ inline std::uint32_t counter_hash(std::uint64_t counter, std::uint64_t seed) {
  std::uint64_t x = counter * 0x9e3779b97f4a7c15ull + seed * 0xd1342543de82ef95ull + 0x632be59bd9b4e019ull;
  x ^= x >> 32;
  auto h = static_cast<std::uint32_t>(x);
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

}  // namespace rackwright::kernels
