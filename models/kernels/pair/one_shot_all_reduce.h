#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace rackwright::kernels {

/// Flags by which the blocks of two ranks meet; one per rank, in its own memory, zero at first.
struct MeetingFlags {
  static constexpr int blocks = 36;  ///< As in vLLM's custom all-reduce.
  unsigned arrived[blocks];   ///< Written by the peer: how often it has arrived.
  unsigned epoch[blocks];     ///< Own count, so that replays of a graph need no host.
};

/// out = mine + peer in bf16 with an fp32 sum: every rank reads the whole buffer of the other over
/// peer memory. Both ranks must call it in the same order. `count` is a multiple of 8.
void one_shot_all_reduce(const __nv_bfloat16* mine, const __nv_bfloat16* peer, __nv_bfloat16* out, std::size_t count,
                         MeetingFlags* my_flags, MeetingFlags* peer_flags, cudaStream_t stream);

}  // namespace rackwright::kernels
