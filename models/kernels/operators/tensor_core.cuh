#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace rackwright::kernels {

/// Building blocks of attention on tensor cores: 16-byte asynchronous copies into shared memory,
/// matrix loads from it, and the 16×8×16 bf16 product with fp32 sums.

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Copies 16 bytes, or writes 16 zero bytes when `valid` is false (`from` must still be a legal address).
__device__ inline void copy_async(std::uint32_t to, const void* from, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;"); }
/// Waits until at most `Pending` groups of this thread are still on their way.
template <int Pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending));
}

/// Four 8×8 matrices; lane i gives the address of row i mod 8 of matrix i / 8.
__device__ inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

/// c += a·b. Lane (g, t) = (lane / 4, lane mod 4) holds of a: rows g, g + 8 at columns 2t, 2t + 1 (and + 8);
/// of b: rows 2t, 2t + 1 (and + 8) at column g; of c: rows g (c0, c1) and g + 8 (c2, c3) at columns 2t, 2t + 1.
__device__ inline void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline std::uint32_t packed(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

/// Byte offset of 16-byte chunk `chunk` of row `row` in a tile of rows of 128 bf16: chunks are permuted
/// within a row so that eight rows at one chunk fall into different banks.
__device__ inline std::uint32_t swizzled(int row, int chunk) {
  return static_cast<std::uint32_t>(row * 256 + ((chunk ^ (row & 7)) << 4));
}

/// Largest of the four lanes that share a row of c.
__device__ inline float row_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}
__device__ inline float row_sum(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

}  // namespace rackwright::kernels
