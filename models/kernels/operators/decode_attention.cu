#include <algorithm>
#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/operators/decode_attention.h"
#include "models/kernels/operators/tensor_core.cuh"

namespace rackwright::kernels {
namespace {

constexpr int head_dim = 128;
constexpr int warps = 4;
constexpr int stages = 2;
constexpr int page_bytes = page_tokens * head_dim * 2;  // of K or of V, one head
constexpr int shared_bytes = warps * stages * 2 * page_bytes;
constexpr int partition_pages = partition_tokens / page_tokens;

/// What one warp knows after its pages: 16 query rows (those past the group are zero queries).
struct WarpState {
  float out[head_dim / 8][4] = {};
  float top[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};
};

/// Starts the copy of one page of K and V for one KV head.
__device__ void load_page(std::uint32_t stage, const DecodeAttention& p, int page, int kv_head, int lane) {
  const std::size_t row_stride = static_cast<std::size_t>(p.kv_heads) * head_dim;
  const std::size_t start = static_cast<std::size_t>(page) * page_tokens * row_stride + static_cast<std::size_t>(kv_head) * head_dim;
#pragma unroll
  for (int i = lane; i < page_tokens * 16; i += 32) {
    const int row = i / 16, chunk = i % 16;
    const std::size_t offset = start + row * row_stride + chunk * 8;
    copy_async(stage + swizzled(row, chunk), p.k_pages + offset, true);
    copy_async(stage + page_bytes + swizzled(row, chunk), p.v_pages + offset, true);
  }
}

/// Scores of 16 queries against the 16 tokens of a page, softened and multiplied with its values.
__device__ void attend_page(WarpState& state, const std::uint32_t (&q)[head_dim / 16][4], std::uint32_t stage,
                            int tokens_left, float scale, int lane) {
  float score[2][4] = {};
#pragma unroll
  for (int step = 0; step < head_dim / 16; ++step) {
    std::uint32_t b[4];
    load_matrices(b, stage + swizzled((lane & 7) + ((lane >> 4) << 3), 2 * step + ((lane >> 3) & 1)));
    multiply(score[0], q[step], b[0], b[1]);
    multiply(score[1], q[step], b[2], b[3]);
  }
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (n * 8 + 2 * (lane & 3) + (j & 1) >= tokens_left) score[n][j] = -INFINITY;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = fmaxf(fmaxf(score[0][2 * half], score[0][2 * half + 1]), fmaxf(score[1][2 * half], score[1][2 * half + 1]));
    top = row_max(fmaxf(top, state.top[half]));
    const float shrink = exp2f((state.top[half] - top) * scale);
    state.top[half] = top;
    float sum = 0;
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int j = 2 * half; j < 2 * half + 2; ++j) {
        score[n][j] = exp2f((score[n][j] - top) * scale);
        sum += score[n][j];
      }
    state.sum[half] = state.sum[half] * shrink + sum;
#pragma unroll
    for (int d = 0; d < head_dim / 8; ++d) {
      state.out[d][2 * half] *= shrink;
      state.out[d][2 * half + 1] *= shrink;
    }
  }
  const std::uint32_t a[4] = {packed(score[0][0], score[0][1]), packed(score[0][2], score[0][3]),
                              packed(score[1][0], score[1][1]), packed(score[1][2], score[1][3])};
#pragma unroll
  for (int d = 0; d < head_dim / 16; ++d) {
    std::uint32_t b[4];
    load_matrices_transposed(b, stage + page_bytes + swizzled((lane & 7) + (((lane >> 3) & 1) << 3), 2 * d + (lane >> 4)));
    multiply(state.out[2 * d], a, b[0], b[1]);
    multiply(state.out[2 * d + 1], a, b[2], b[3]);
  }
}

/// Merges the four warps through shared memory and writes the partition's result.
__device__ void merge_warps(const DecodeAttention& p, WarpState& state, unsigned char* shared, float scale, int group,
                            std::size_t first_row) {
  auto* out = reinterpret_cast<float*>(shared);                    // [warps][16][head_dim]
  auto* top_sum = reinterpret_cast<float2*>(out + warps * 16 * head_dim);  // [warps][16]
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __syncthreads();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + half * 8;
    const float sum = row_sum(state.sum[half]);
    if (row >= group) continue;
    if ((lane & 3) == 0) top_sum[warp * 16 + row] = {state.top[half], sum};
#pragma unroll
    for (int d = 0; d < head_dim / 8; ++d)
      *reinterpret_cast<float2*>(out + (warp * 16 + row) * head_dim + d * 8 + 2 * (lane & 3)) = {state.out[d][2 * half],
                                                                                             state.out[d][2 * half + 1]};
  }
  __syncthreads();
  for (int row = 0; row < group; ++row) {
    float top = -INFINITY;
    for (int w = 0; w < warps; ++w) top = fmaxf(top, top_sum[w * 16 + row].x);
    float sum = 0, value = 0;
    for (int w = 0; w < warps; ++w) {
      const float2 part = top_sum[w * 16 + row];
      const float weight = part.x == -INFINITY ? 0.0f : exp2f((part.x - top) * scale);
      sum += weight * part.y;
      value += weight * out[(w * 16 + row) * head_dim + threadIdx.x];
    }
    p.partial[(first_row + static_cast<std::size_t>(row) * p.partitions) * head_dim + threadIdx.x] = value;
    if (threadIdx.x == 0) p.partial_scale[first_row + static_cast<std::size_t>(row) * p.partitions] = {top * scale, sum};
  }
}

__device__ __forceinline__ void attend_part(const DecodeAttention& p, float scale, int partition, int kv_head, int sequence, unsigned char* shared) {
  const int length = p.lengths[sequence];
  const int first_token = partition * partition_tokens;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int group = p.q_heads / p.kv_heads;
  const int pages = min(partition_pages, (length - first_token + page_tokens - 1) / page_tokens);
  const int* table = p.page_table + static_cast<std::size_t>(sequence) * p.pages_per_sequence + partition * partition_pages;
  const std::uint32_t mine = shared_address(shared) + warp * stages * 2 * page_bytes;
  // Every warp streams its own pages, four apart, and needs no barrier with the others until the end.
#pragma unroll
  for (int s = 0; s < stages; ++s) {
    if (warp + s * warps < pages) load_page(mine + s * 2 * page_bytes, p, table[warp + s * warps], kv_head, lane);
    commit_copies();
  }
  std::uint32_t q[head_dim / 16][4];
  const __nv_bfloat16* first_q = p.q + static_cast<std::size_t>(sequence) * p.q_stride + static_cast<std::size_t>(kv_head) * group * head_dim;
#pragma unroll
  for (int step = 0; step < head_dim / 16; ++step)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = lane / 4 + (j & 1) * 8;
      const int column = step * 16 + (j >> 1) * 8 + 2 * (lane & 3);
      q[step][j] = row < group ? *reinterpret_cast<const std::uint32_t*>(first_q + row * head_dim + column) : 0u;
    }
  WarpState state;
  int stage = 0;
  for (int page = warp; page < pages; page += warps) {
    wait_copies<stages - 1>();
    __syncwarp();
    const std::uint32_t buffer = mine + stage * 2 * page_bytes;
    attend_page(state, q, buffer, length - first_token - page * page_tokens, scale, lane);
    __syncwarp();
    const int next = page + stages * warps;
    if (next < pages) load_page(buffer, p, table[next], kv_head, lane);
    commit_copies();
    stage = (stage + 1) % stages;
  }
  wait_copies<0>();
  const std::size_t first_row = (static_cast<std::size_t>(sequence) * p.q_heads + static_cast<std::size_t>(kv_head) * group) * p.partitions + partition;
  merge_warps(p, state, shared, scale, group, first_row);
}

__global__ __launch_bounds__(warps * 32) void attend_partition(DecodeAttention p, float scale) {
  extern __shared__ __align__(1024) unsigned char shared[];
  if (static_cast<int>(blockIdx.x) * partition_tokens >= p.lengths[blockIdx.z]) return;
  attend_part(p, scale, blockIdx.x, blockIdx.y, blockIdx.z, shared);
}

/// Blocks stay and take one part after another: most of a grid for the longest sequences would be empty.
__global__ __launch_bounds__(warps * 32) void attend_listed(DecodeAttention p, DecodeParts list, float scale) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const int items = *list.count * p.kv_heads;
  for (int item = blockIdx.x; item < items; item += gridDim.x) {
    const int2 part = list.parts[item / p.kv_heads];
    attend_part(p, scale, part.y, item % p.kv_heads, part.x, shared);
    __syncthreads();
  }
}

__global__ __launch_bounds__(head_dim) void combine_partitions(DecodeAttention p) {
  const int head = blockIdx.x, sequence = blockIdx.y;
  const int count = (p.lengths[sequence] + partition_tokens - 1) / partition_tokens;
  const std::size_t row = static_cast<std::size_t>(sequence) * p.q_heads + head;
  const float2* scales = p.partial_scale + row * p.partitions;
  const float* parts = p.partial + row * p.partitions * head_dim + threadIdx.x;
  __shared__ float warp_top[head_dim / 32];
  float top = -INFINITY;
  for (int i = threadIdx.x; i < count; i += head_dim) top = fmaxf(top, scales[i].x);
  for (int offset = 16; offset > 0; offset /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, offset));
  if (threadIdx.x % 32 == 0) warp_top[threadIdx.x / 32] = top;
  __syncthreads();
  top = fmaxf(fmaxf(warp_top[0], warp_top[1]), fmaxf(warp_top[2], warp_top[3]));
  float sum = 0, value = 0;
#pragma unroll 8
  for (int i = 0; i < count; ++i) {
    const float weight = exp2f(scales[i].x - top);
    sum += weight * scales[i].y;
    value += weight * parts[static_cast<std::size_t>(i) * head_dim];
  }
  p.out[row * head_dim + threadIdx.x] = __float2bfloat16(value / sum);
}

const float scale = 1.4426950408889634f / std::sqrt(static_cast<float>(head_dim));  // log2(e)/√d

}  // namespace

std::size_t decode_partial_elements(int batch, int q_heads, int partitions) {
  return static_cast<std::size_t>(batch) * q_heads * partitions * head_dim;
}

void decode_attention(const DecodeAttention& arguments, cudaStream_t stream) {
  check(cudaFuncSetAttribute(attend_partition, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  attend_partition<<<dim3(arguments.partitions, arguments.kv_heads, arguments.batch), warps * 32, shared_bytes, stream>>>(arguments, scale);
  check_launch();
  combine_partitions<<<dim3(arguments.q_heads, arguments.batch), head_dim, 0, stream>>>(arguments);
  check_launch();
}

void decode_attention(const DecodeAttention& arguments, const DecodeParts& parts, int sms, cudaStream_t stream) {
  check(cudaFuncSetAttribute(attend_listed, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  // As many as run at once: three find room in the shared memory of an SM.
  constexpr int blocks_per_sm = 3;
  const int blocks = std::min(sms * blocks_per_sm, arguments.batch * arguments.partitions * arguments.kv_heads);
  attend_listed<<<blocks, warps * 32, shared_bytes, stream>>>(arguments, parts, scale);
  check_launch();
  combine_partitions<<<dim3(arguments.q_heads, arguments.batch), head_dim, 0, stream>>>(arguments);
  check_launch();
}

}  // namespace rackwright::kernels
