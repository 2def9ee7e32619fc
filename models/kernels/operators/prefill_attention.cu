#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/operators/prefill_attention.h"
#include "models/kernels/operators/tensor_core.cuh"

namespace rackwright::kernels {
namespace {

constexpr int head_dim = 128;
constexpr int chunks = head_dim / 8;  // of 16 bytes in one row
constexpr int query_tile = prompt_tile_queries;
constexpr int key_tile = 64;
constexpr int threads = 128;
constexpr int row_tiles = 2;  // of 16 rows in one warp
constexpr int shared_bytes = (query_tile + 2 * key_tile) * head_dim * 2;

/// Brings rows [0, count) of a strided matrix into a swizzled tile of `Rows` rows, zeros after them.
template <int Rows>
__device__ void load_tile(std::uint32_t tile, const __nv_bfloat16* from, std::size_t stride, int count) {
  for (int i = threadIdx.x; i < Rows * chunks; i += threads) {
    const int row = i / chunks, chunk = i % chunks;
    const bool valid = row < count;
    copy_async(tile + swizzled(row, chunk), from + (valid ? row : 0) * stride + chunk * 8, valid);
  }
  commit_copies();
}

struct WarpState {
  float out[row_tiles][head_dim / 8][4];
  float top[row_tiles][2];  ///< Running maximum of the scaled scores of rows g and g + 8.
  float sum[row_tiles][2];
};

/// score = q·kᵀ for this warp's 32 rows and all keys of the tile.
__device__ void scores(float (&score)[row_tiles][key_tile / 8][4], std::uint32_t q_tile, std::uint32_t k_tile, int warp,
                       int lane) {
#pragma unroll
  for (int step = 0; step < head_dim / 16; ++step) {
    std::uint32_t a[row_tiles][4];
#pragma unroll
    for (int r = 0; r < row_tiles; ++r)
      load_matrices(a[r], q_tile + swizzled(warp * 32 + r * 16 + (lane & 15), 2 * step + (lane >> 4)));
#pragma unroll
    for (int n = 0; n < key_tile / 16; ++n) {
      std::uint32_t b[4];
      load_matrices(b, k_tile + swizzled(n * 16 + (lane & 7) + ((lane >> 4) << 3), 2 * step + ((lane >> 3) & 1)));
#pragma unroll
      for (int r = 0; r < row_tiles; ++r) {
        multiply(score[r][2 * n], a[r], b[0], b[1]);
        multiply(score[r][2 * n + 1], a[r], b[2], b[3]);
      }
    }
  }
}

/// Turns scores into exp2(scale·(score − maximum)) and rescales what was summed before.
__device__ void soften(WarpState& state, float (&score)[row_tiles][key_tile / 8][4], float scale) {
#pragma unroll
  for (int r = 0; r < row_tiles; ++r)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float top = state.top[r][half];
#pragma unroll
      for (int n = 0; n < key_tile / 8; ++n) top = fmaxf(top, fmaxf(score[r][n][2 * half], score[r][n][2 * half + 1]));
      top = row_max(top);
      const float shift = top == -INFINITY ? 0.0f : top * scale;
      const float shrink = exp2f(state.top[r][half] * scale - shift);
      float sum = 0;
#pragma unroll
      for (int n = 0; n < key_tile / 8; ++n)
#pragma unroll
        for (int j = 2 * half; j < 2 * half + 2; ++j) {
          score[r][n][j] = exp2f(score[r][n][j] * scale - shift);
          sum += score[r][n][j];
        }
      state.top[r][half] = top;
      state.sum[r][half] = state.sum[r][half] * shrink + sum;
#pragma unroll
      for (int d = 0; d < head_dim / 8; ++d) {
        state.out[r][d][2 * half] *= shrink;
        state.out[r][d][2 * half + 1] *= shrink;
      }
    }
}

/// out += weight · v.
__device__ void accumulate(WarpState& state, const float (&weight)[row_tiles][key_tile / 8][4], std::uint32_t v_tile,
                           int lane) {
#pragma unroll
  for (int step = 0; step < key_tile / 16; ++step) {
    std::uint32_t a[row_tiles][4];
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
      a[r][0] = packed(weight[r][2 * step][0], weight[r][2 * step][1]);
      a[r][1] = packed(weight[r][2 * step][2], weight[r][2 * step][3]);
      a[r][2] = packed(weight[r][2 * step + 1][0], weight[r][2 * step + 1][1]);
      a[r][3] = packed(weight[r][2 * step + 1][2], weight[r][2 * step + 1][3]);
    }
#pragma unroll
    for (int d = 0; d < head_dim / 16; ++d) {
      std::uint32_t b[4];
      load_matrices_transposed(b, v_tile + swizzled(step * 16 + (lane & 7) + (((lane >> 3) & 1) << 3), 2 * d + (lane >> 4)));
#pragma unroll
      for (int r = 0; r < row_tiles; ++r) {
        multiply(state.out[r][2 * d], a[r], b[0], b[1]);
        multiply(state.out[r][2 * d + 1], a[r], b[2], b[3]);
      }
    }
  }
}

/// 128 queries of one head of one prompt.
struct QueryTile {
  const __nv_bfloat16 *q, *k, *v;  ///< The first query; the prompt's first key and value.
  __nv_bfloat16* out;
  std::size_t q_stride, kv_stride, out_stride;
  int first_query, queries;  ///< Within the new tokens.
  int past, kv_tokens;
};

__device__ __forceinline__ void attend_tile(const QueryTile& t, float scale, unsigned char* shared) {
  const std::uint32_t q_tile = shared_address(shared);
  const std::uint32_t k_tile = q_tile + query_tile * head_dim * 2;
  const std::uint32_t v_tile = k_tile + key_tile * head_dim * 2;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int keys = min(t.kv_tokens, t.past + t.first_query + query_tile);
  const int tiles = (keys + key_tile - 1) / key_tile;

  load_tile<query_tile>(q_tile, t.q, t.q_stride, t.queries);
  load_tile<key_tile>(k_tile, t.k, t.kv_stride, t.kv_tokens);

  WarpState state;
#pragma unroll
  for (int r = 0; r < row_tiles; ++r) {
    state.top[r][0] = state.top[r][1] = -INFINITY;
    state.sum[r][0] = state.sum[r][1] = 0;
#pragma unroll
    for (int d = 0; d < head_dim / 8; ++d)
#pragma unroll
      for (int j = 0; j < 4; ++j) state.out[r][d][j] = 0;
  }

  for (int tile = 0; tile < tiles; ++tile) {
    const int first_key = tile * key_tile;
    wait_copies<0>();
    __syncthreads();
    load_tile<key_tile>(v_tile, t.v + static_cast<std::size_t>(first_key) * t.kv_stride, t.kv_stride, t.kv_tokens - first_key);
    float score[row_tiles][key_tile / 8][4] = {};
    scores(score, q_tile, k_tile, warp, lane);
    // Query i of the prompt sees keys up to past + i; only tiles on the diagonal need the mask.
    if (first_key + key_tile > t.past + t.first_query + 1) {
#pragma unroll
      for (int r = 0; r < row_tiles; ++r)
#pragma unroll
        for (int n = 0; n < key_tile / 8; ++n)
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const int key = first_key + n * 8 + 2 * (lane & 3) + (j & 1);
            const int query = t.first_query + warp * 32 + r * 16 + lane / 4 + (j >> 1) * 8;
            if (key > t.past + query || key >= t.kv_tokens) score[r][n][j] = -INFINITY;
          }
    }
    soften(state, score, scale);
    wait_copies<0>();
    __syncthreads();
    if (tile + 1 < tiles)
      load_tile<key_tile>(k_tile, t.k + static_cast<std::size_t>(first_key + key_tile) * t.kv_stride, t.kv_stride,
                          t.kv_tokens - first_key - key_tile);
    accumulate(state, score, v_tile, lane);
  }

#pragma unroll
  for (int r = 0; r < row_tiles; ++r)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float inverse = 1.0f / row_sum(state.sum[r][half]);
      const int query = warp * 32 + r * 16 + lane / 4 + half * 8;
      if (query >= t.queries) continue;
      __nv_bfloat16* out = t.out + static_cast<std::size_t>(query) * t.out_stride + 2 * (lane & 3);
#pragma unroll
      for (int d = 0; d < head_dim / 8; ++d)
        *reinterpret_cast<std::uint32_t*>(out + d * 8) =
            packed(state.out[r][d][2 * half] * inverse, state.out[r][d][2 * half + 1] * inverse);
    }
}

/// A tile of `new_tokens` queries over `past` keys more, which lie in the rows of q, k and v given here.
__device__ QueryTile tile_of(const PromptBatch& p, int head, std::size_t prompt_row, std::size_t first_key, int first_query, int new_tokens, int past) {
  QueryTile t;
  const std::size_t row = prompt_row + first_query;
  t.q_stride = p.q_stride;
  t.kv_stride = static_cast<std::size_t>(p.kv_heads) * head_dim;
  t.out_stride = static_cast<std::size_t>(p.q_heads) * head_dim;
  const std::size_t kv_start = first_key * t.kv_stride + static_cast<std::size_t>(head / (p.q_heads / p.kv_heads)) * head_dim;
  t.q = p.q + row * t.q_stride + static_cast<std::size_t>(head) * head_dim;
  t.k = p.k + kv_start;
  t.v = p.v + kv_start;
  t.out = p.out + row * t.out_stride + static_cast<std::size_t>(head) * head_dim;
  t.first_query = first_query;
  t.queries = min(query_tile, new_tokens - first_query);
  t.past = past;
  t.kv_tokens = past + new_tokens;
  return t;
}

__global__ __launch_bounds__(threads, 2) void attend(PrefillAttention p, float scale) {
  extern __shared__ __align__(1024) unsigned char shared[];
  // Late queries see the most keys: they go first.
  const int first_query = static_cast<int>(gridDim.x - 1 - blockIdx.x) * query_tile;
  const std::size_t sequence = blockIdx.z;
  attend_tile(tile_of(p, blockIdx.y, sequence * p.new_tokens, sequence * (p.past_tokens + p.new_tokens), first_query, p.new_tokens, p.past_tokens), scale, shared);
}

__global__ __launch_bounds__(threads, 2) void attend_listed(PromptBatch p, PromptTiles list, float scale) {
  extern __shared__ __align__(1024) unsigned char shared[];
  if (static_cast<int>(blockIdx.y) >= *list.count) return;
  const PromptTile tile = list.tiles[blockIdx.y];
  attend_tile(tile_of(p, blockIdx.x, tile.first_row, tile.first_key, tile.first_query, tile.new_tokens, tile.past_tokens), scale, shared);
}

const float scale = 1.4426950408889634f / std::sqrt(static_cast<float>(head_dim));  // log2(e)/√d

}  // namespace

void prefill_attention(const PrefillAttention& arguments, cudaStream_t stream) {
  check(cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  const dim3 grid((arguments.new_tokens + query_tile - 1) / query_tile, arguments.q_heads, arguments.sequences);
  attend<<<grid, threads, shared_bytes, stream>>>(arguments, scale);
  check_launch();
}

void prefill_attention(const PromptBatch& batch, const PromptTiles& tiles, cudaStream_t stream) {
  check(cudaFuncSetAttribute(attend_listed, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  attend_listed<<<dim3(batch.q_heads, tiles.most), threads, shared_bytes, stream>>>(batch, tiles, scale);
  check_launch();
}

}  // namespace rackwright::kernels
