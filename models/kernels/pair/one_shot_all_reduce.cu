#include <algorithm>

#include "models/kernels/device/check.h"
#include "models/kernels/operators/vector.cuh"
#include "models/kernels/pair/one_shot_all_reduce.h"

namespace rackwright::kernels {
namespace {

constexpr int threads = 512;

/// Waits until the peer's block of the same index has come as often as this one.
__device__ void meet(MeetingFlags* mine, MeetingFlags* peer) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned epoch = mine->epoch[blockIdx.x] + 1;
    mine->epoch[blockIdx.x] = epoch;
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&peer->arrived[blockIdx.x]), "r"(epoch) : "memory");
    unsigned seen;
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(&mine->arrived[blockIdx.x]) : "memory");
    } while (static_cast<int>(seen - epoch) < 0);
  }
  __syncthreads();
}

__global__ __launch_bounds__(threads) void sum_with_peer(const __nv_bfloat16* mine, const __nv_bfloat16* peer, __nv_bfloat16* out,
                                                        std::size_t vectors, MeetingFlags* my_flags, MeetingFlags* peer_flags) {
  meet(my_flags, peer_flags);
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; i < vectors; i += static_cast<std::size_t>(gridDim.x) * threads) {
    Vector8 sum = Vector8::load(mine + i * 8);
    const Vector8 other = Vector8::load(peer + i * 8);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum.v[j] += other.v[j];
    sum.store(out + i * 8);
  }
  // The peer may overwrite its input only after this rank has read it.
  meet(my_flags, peer_flags);
}

}  // namespace

void one_shot_all_reduce(const __nv_bfloat16* mine, const __nv_bfloat16* peer, __nv_bfloat16* out, std::size_t count,
                         MeetingFlags* my_flags, MeetingFlags* peer_flags, cudaStream_t stream) {
  const auto blocks = static_cast<int>(std::clamp<std::size_t>((count / 8 + threads - 1) / threads, 1, MeetingFlags::blocks));
  sum_with_peer<<<blocks, threads, 0, stream>>>(mine, peer, out, count / 8, my_flags, peer_flags);
  check_launch();
}

}  // namespace rackwright::kernels
