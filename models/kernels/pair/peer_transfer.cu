#include "models/kernels/device/check.h"
#include "models/kernels/operators/tensor_core.cuh"
#include "models/kernels/pair/peer_transfer.h"

namespace rackwright::kernels {
namespace {

constexpr int store_threads = 1024;
constexpr int stages = 8;
constexpr int stores_ahead = 4;  ///< Stores whose shared memory may still be being read.

__global__ __launch_bounds__(store_threads) void store_words(const uint4* from, uint4* to, std::size_t words) {
  constexpr int unroll = 4;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * store_threads;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(store_threads) + threadIdx.x; i < words; i += unroll * step) {
    uint4 kept[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (i + u * step < words) kept[u] = from[i + u * step];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (i + u * step < words) to[i + u * step] = kept[u];
  }
}

__device__ void start_load(std::uint32_t to, const std::byte* from, int bytes, std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
               "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ void wait_load(std::uint32_t barrier, std::uint32_t phase) {
  std::uint32_t done = 0;
  while (!done)
    asm volatile(
        "{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(phase)
        : "memory");
}

/// Chunk c of this block is chunk blockIdx.x + c·gridDim.x of the transfer and uses stage c mod stages.
__global__ void bulk_copy(const std::byte* from, std::byte* to, std::size_t bytes, int chunk) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ __align__(8) unsigned long long barriers[stages];
  const std::size_t chunks = (bytes + chunk - 1) / chunk;
  const long mine = blockIdx.x < chunks ? static_cast<long>((chunks - 1 - blockIdx.x) / gridDim.x + 1) : 0;
  const auto offset = [&](long c) { return (blockIdx.x + static_cast<std::size_t>(c) * gridDim.x) * chunk; };
  const auto length = [&](long c) { return static_cast<int>(min(static_cast<std::size_t>(chunk), bytes - offset(c))); };
  const auto slot = [&](long c) { return shared_address(shared) + static_cast<std::uint32_t>(c % stages) * chunk; };
  const auto barrier = [&](long c) { return shared_address(&barriers[c % stages]); };
  for (int s = 0; s < stages; ++s) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(s)) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  for (long c = 0; c < min(mine, static_cast<long>(stages)); ++c) start_load(slot(c), from + offset(c), length(c), barrier(c));
  for (long c = 0; c < mine; ++c) {
    wait_load(barrier(c), static_cast<std::uint32_t>(c / stages) & 1);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + offset(c)), "r"(slot(c)), "r"(length(c)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(stores_ahead) : "memory");
    // The store of chunk c − stores_ahead has left its stage: load what comes next there.
    const long freed = c - stores_ahead;
    if (freed >= 0 && freed + stages < mine)
      start_load(slot(freed), from + offset(freed + stages), length(freed + stages), barrier(freed));
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

}  // namespace

void sm_store(const std::byte* from, std::byte* to, std::size_t bytes, int sms, cudaStream_t stream) {
  store_words<<<sms, store_threads, 0, stream>>>(reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to), bytes / 16);
  check_launch();
}

void tma_store(const std::byte* from, std::byte* to, std::size_t bytes, int sms, int chunk, cudaStream_t stream) {
  const int shared_bytes = stages * chunk;
  check(cudaFuncSetAttribute(bulk_copy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  bulk_copy<<<sms, 1, shared_bytes, stream>>>(from, to, bytes, chunk);
  check_launch();
}

}  // namespace rackwright::kernels
