#include <algorithm>
#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/operators/mla_decode.h"
#include "models/kernels/operators/tensor_core.cuh"

namespace rackwright::kernels {
namespace {

constexpr int warps = 8;
constexpr int threads = warps * 32;
constexpr int tile_tokens = mla_page_tokens;
constexpr int row_chunks = mla_row / 8;
constexpr int tile_bytes = tile_tokens * mla_row * 2;

int head_tile(int heads) { return heads >= 64 ? 64 : 16; }

/// As `swizzled`, for rows of 576 elements; 72 chunks are nine groups of eight.
__device__ std::uint32_t row_swizzled(int row, int chunk) {
  return static_cast<std::uint32_t>(row * mla_row * 2 + ((chunk ^ (row & 7)) << 4));
}
/// … and for the 64 weights of a row.
__device__ std::uint32_t weight_swizzled(int row, int chunk) {
  return static_cast<std::uint32_t>(row * tile_tokens * 2 + ((chunk ^ (row & 7)) << 4));
}

__device__ void load_rows(std::uint32_t tile, const __nv_bfloat16* from, int rows, int valid) {
  for (int i = threadIdx.x; i < rows * row_chunks; i += threads) {
    const int row = i / row_chunks, chunk = i % row_chunks;
    copy_async(tile + row_swizzled(row, chunk), from + static_cast<std::size_t>(row < valid ? row : 0) * mla_row + chunk * 8, row < valid);
  }
  commit_copies();
}

/// `RowTiles` · 16 heads against one split of one sequence. Warps form RowTiles rows of `columns` warps
/// each; a warp scores 64 / columns tokens and keeps 512 / columns output elements of its 16 heads.
template <int RowTiles>
__global__ __launch_bounds__(threads, 1) void attend_split(MlaDecode p, float scale) {
  constexpr int columns = warps / RowTiles;
  constexpr int score_tiles = tile_tokens / columns / 8;
  constexpr int out_tiles = mla_latent / columns / 8;
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t kv = shared_address(shared);
  const std::uint32_t q_tile = kv + 2 * tile_bytes;
  const std::uint32_t weights = q_tile + RowTiles * 16 * mla_row * 2;
  auto* exchange = reinterpret_cast<float*>(shared + 2 * tile_bytes + RowTiles * 16 * (mla_row + tile_tokens) * 2);  // [columns][RowTiles · 16]
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = warp / columns * 16, column = warp % columns;
  const int sequence = blockIdx.z, head0 = blockIdx.y * RowTiles * 16, split = blockIdx.x;
  const int length = p.lengths[sequence];
  const int pages = (length + tile_tokens - 1) / tile_tokens;
  const int first = static_cast<int>(static_cast<long>(pages) * split / p.splits);
  const int last = static_cast<int>(static_cast<long>(pages) * (split + 1) / p.splits);
  const int* table = p.page_table + static_cast<std::size_t>(sequence) * p.pages_per_sequence;
  const auto load_page = [&](int page, int buffer) {
    load_rows(kv + buffer * tile_bytes, p.pages + static_cast<std::size_t>(table[page]) * tile_tokens * mla_row, tile_tokens,
              length - page * tile_tokens);
  };

  float out[out_tiles][4] = {};
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
  if (first < last) {
    load_rows(q_tile, p.q + (static_cast<std::size_t>(sequence) * p.heads + head0) * mla_row, RowTiles * 16, RowTiles * 16);
    load_page(first, 0);
  }
  for (int page = first; page < last; ++page) {
    const std::uint32_t tile = kv + (page - first) % 2 * tile_bytes;
    wait_copies<0>();
    __syncthreads();
    if (page + 1 < last) load_page(page + 1, (page + 1 - first) % 2);

    float score[score_tiles][4] = {};
#pragma unroll 3
    for (int step = 0; step < mla_row / 32; ++step) {
      std::uint32_t a[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) load_matrices(a[i], q_tile + row_swizzled(row0 + (lane & 15), 4 * step + 2 * i + (lane >> 4)));
#pragma unroll
      for (int n = 0; n < score_tiles; ++n) {
        std::uint32_t b[4];
        load_matrices(b, tile + row_swizzled((column * score_tiles + n) * 8 + (lane & 7), 4 * step + (lane >> 3)));
        multiply(score[n], a[0], b[0], b[1]);
        multiply(score[n], a[1], b[2], b[3]);
      }
    }
    float tile_top[2] = {-INFINITY, -INFINITY};
#pragma unroll
    for (int n = 0; n < score_tiles; ++n)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int token = page * tile_tokens + (column * score_tiles + n) * 8 + 2 * (lane & 3) + (j & 1);
        if (token >= length) score[n][j] = -INFINITY;
        tile_top[j >> 1] = fmaxf(tile_top[j >> 1], score[n][j]);
      }
    // The warps of a row agree on one maximum, then share their weights.
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      tile_top[half] = row_max(tile_top[half]);
      if ((lane & 3) == 0) exchange[column * RowTiles * 16 + row0 + lane / 4 + half * 8] = tile_top[half];
    }
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = row0 + lane / 4 + half * 8;
      float now = top[half];
#pragma unroll
      for (int c = 0; c < columns; ++c) now = fmaxf(now, exchange[c * RowTiles * 16 + row]);
      const float shrink = exp2f((top[half] - now) * scale);
      top[half] = now;
      sum[half] *= shrink;
#pragma unroll
      for (int d = 0; d < out_tiles; ++d) {
        out[d][2 * half] *= shrink;
        out[d][2 * half + 1] *= shrink;
      }
#pragma unroll
      for (int n = 0; n < score_tiles; ++n) {
        const float low = exp2f((score[n][2 * half] - now) * scale), high = exp2f((score[n][2 * half + 1] - now) * scale);
        sum[half] += low + high;
        const std::uint32_t to = weights + weight_swizzled(row, column * score_tiles + n) + 4 * (lane & 3);
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(packed(low, high)) : "memory");
      }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < tile_tokens / 16; ++step) {
      std::uint32_t a[4];
      load_matrices(a, weights + weight_swizzled(row0 + (lane & 15), 2 * step + (lane >> 4)));
#pragma unroll
      for (int d = 0; d < out_tiles / 2; ++d) {
        std::uint32_t b[4];
        load_matrices_transposed(b, tile + row_swizzled(step * 16 + (lane & 7) + (((lane >> 3) & 1) << 3), column * out_tiles + 2 * d + (lane >> 4)));
        multiply(out[2 * d], a, b[0], b[1]);
        multiply(out[2 * d + 1], a, b[2], b[3]);
      }
    }
  }
  // Sums are over this warp's tokens only: add up the warps of a row.
  __syncthreads();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float whole = row_sum(sum[half]);
    if ((lane & 3) == 0) exchange[column * RowTiles * 16 + row0 + lane / 4 + half * 8] = whole;
  }
  __syncthreads();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = row0 + lane / 4 + half * 8;
    const std::size_t to = (static_cast<std::size_t>(sequence) * p.heads + head0 + row) * p.splits + split;
    if (column == 0 && (lane & 3) == 0) {
      float whole = 0;
      for (int c = 0; c < columns; ++c) whole += exchange[c * RowTiles * 16 + row];
      p.partial_scale[to] = {first < last ? top[half] * scale : -INFINITY, whole};
    }
    if (first < last)
#pragma unroll
      for (int d = 0; d < out_tiles; ++d)
        *reinterpret_cast<float2*>(p.partial + to * mla_latent + (column * out_tiles + d) * 8 + 2 * (lane & 3)) = {out[d][2 * half], out[d][2 * half + 1]};
  }
}

__global__ __launch_bounds__(128) void combine_splits(MlaDecode p) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * p.heads + blockIdx.x;
  const float2* scales = p.partial_scale + row * p.splits;
  float top = -INFINITY;
  for (int i = 0; i < p.splits; ++i) top = fmaxf(top, scales[i].x);
  float sum = 0;
  float4 value{};
  for (int i = 0; i < p.splits; ++i) {
    if (scales[i].x == -INFINITY) continue;
    const float weight = exp2f(scales[i].x - top);
    const float4 part = *reinterpret_cast<const float4*>(p.partial + (row * p.splits + i) * mla_latent + 4 * threadIdx.x);
    sum += weight * scales[i].y;
    value.x += weight * part.x;
    value.y += weight * part.y;
    value.z += weight * part.z;
    value.w += weight * part.w;
  }
  const uint2 result{packed(value.x / sum, value.y / sum), packed(value.z / sum, value.w / sum)};
  *reinterpret_cast<uint2*>(p.out + row * mla_latent + 4 * threadIdx.x) = result;
}

template <int RowTiles>
void launch(const MlaDecode& p, cudaStream_t stream) {
  constexpr int shared_bytes = 2 * tile_bytes + RowTiles * 16 * (mla_row + tile_tokens) * 2 + warps * 16 * 4;
  check(cudaFuncSetAttribute(attend_split<RowTiles>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  const float scale = 1.4426950408889634f / std::sqrt(192.0f);  // log2(e)/√(128 + 64), the unabsorbed head
  attend_split<RowTiles><<<dim3(p.splits, p.heads / (RowTiles * 16), p.batch), threads, shared_bytes, stream>>>(p, scale);
  check_launch();
  combine_splits<<<dim3(p.heads, p.batch), 128, 0, stream>>>(p);
  check_launch();
}

}  // namespace

int mla_splits(int sms, int batch, int heads, int longest) {
  const int blocks = batch * (heads / head_tile(heads));
  return std::clamp(sms / blocks, 1, (longest + tile_tokens - 1) / tile_tokens);
}

void mla_decode(const MlaDecode& arguments, cudaStream_t stream) {
  if (head_tile(arguments.heads) == 64) launch<4>(arguments, stream);
  else launch<1>(arguments, stream);
}

}  // namespace rackwright::kernels
