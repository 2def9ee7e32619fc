#include "models/kernels/device/check.h"
#include "models/kernels/operators/layer_kernels.h"
#include "models/kernels/operators/vector.cuh"

namespace rackwright::kernels {
namespace {

constexpr int head_dim = 128;
constexpr int flat_threads = 256;

int flat_blocks(std::size_t items) { return static_cast<int>((items + flat_threads - 1) / flat_threads); }

__device__ float block_sum(float value) {
  __shared__ float parts[32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

/// One block a token; a thread keeps up to two vectors of the row in registers.
__global__ void residual_rmsnorm_rows(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight,
                                      __nv_bfloat16* out, int width) {
  constexpr int most = 2;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * width;
  Vector8 kept[most];
  float squares = 0;
#pragma unroll
  for (int i = 0; i < most; ++i) {
    const int at = (i * blockDim.x + threadIdx.x) * 8;
    if (at >= width) continue;
    kept[i] = Vector8::load(residual + row + at);
    if (x) {
      const Vector8 added = Vector8::load(x + row + at);
#pragma unroll
      for (int j = 0; j < 8; ++j) kept[i].v[j] += added.v[j];
      kept[i].store(residual + row + at);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) squares += kept[i].v[j] * kept[i].v[j];
  }
  const float scale = rsqrtf(block_sum(squares) / width + rmsnorm_epsilon);
#pragma unroll
  for (int i = 0; i < most; ++i) {
    const int at = (i * blockDim.x + threadIdx.x) * 8;
    if (at >= width) continue;
    const Vector8 w = Vector8::load(weight + at);
#pragma unroll
    for (int j = 0; j < 8; ++j) kept[i].v[j] *= scale * w.v[j];
    kept[i].store(out + row + at);
  }
}

__global__ void silu_mul_vectors(const __nv_bfloat16* gate_up, __nv_bfloat16* out, std::size_t vectors, int row_vectors) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(flat_threads) + threadIdx.x;
  if (i >= vectors) return;
  const std::size_t row = i / row_vectors, column = i % row_vectors;
  Vector8 gate = Vector8::load(gate_up + (row * 2 * row_vectors + column) * 8);
  const Vector8 up = Vector8::load(gate_up + (row * 2 * row_vectors + row_vectors + column) * 8);
#pragma unroll
  for (int j = 0; j < 8; ++j) gate.v[j] = gate.v[j] / (1 + __expf(-gate.v[j])) * up.v[j];
  gate.store(out + i * 8);
}

/// One thread a pair of vectors (elements i and i + 64 of a head), heads of q, then k, then v.
__global__ void rope_kv_write_pairs(const __nv_bfloat16* qkv, const int* positions, const int* slots, __nv_bfloat16* q_out,
                                    __nv_bfloat16* k_pages, __nv_bfloat16* v_pages, int q_heads, int kv_heads, int pairs) {
  constexpr int per_head = head_dim / 16;
  const int index = blockIdx.x * flat_threads + threadIdx.x;
  if (index >= pairs) return;
  const int heads = q_heads + 2 * kv_heads;
  const int token = index / (heads * per_head), head = index / per_head % heads, part = index % per_head;
  const std::size_t from = (static_cast<std::size_t>(token) * heads + head) * head_dim + part * 8;
  Vector8 low = Vector8::load(qkv + from), high = Vector8::load(qkv + from + head_dim / 2);
  const bool is_value = head >= q_heads + kv_heads;
  if (!is_value) {
    const auto position = static_cast<float>(positions[token]);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      // 500000^(-i/64), the rotary base of Llama 3.
      const float angle = position * exp2f(-18.931568569324174f / 64 * (part * 8 + j));
      float s, c;
      __sincosf(angle, &s, &c);
      const float l = low.v[j], h = high.v[j];
      low.v[j] = l * c - h * s;
      high.v[j] = h * c + l * s;
    }
  }
  __nv_bfloat16* to = q_out + (static_cast<std::size_t>(token) * q_heads + head) * head_dim;
  if (head >= q_heads) {
    const int kv_head = (head - q_heads) % kv_heads;
    to = (is_value ? v_pages : k_pages) + (static_cast<std::size_t>(slots[token]) * kv_heads + kv_head) * head_dim;
  }
  low.store(to + part * 8);
  high.store(to + part * 8 + head_dim / 2);
}

/// Rows of `row_vectors` vectors, each taken from row from[r] and put into row to[r] (null: r itself).
__global__ void move_rows(const uint4* in, const int* from, uint4* out, const int* to, std::size_t vectors, int row_vectors) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(flat_threads) + threadIdx.x;
  if (i >= vectors) return;
  const std::size_t row = i / row_vectors, column = i % row_vectors;
  const std::size_t source = from ? from[row] : row, target = to ? to[row] : row;
  out[target * row_vectors + column] = in[source * row_vectors + column];
}

void move(const __nv_bfloat16* in, const int* from, __nv_bfloat16* out, const int* to, std::size_t rows, int width,
          cudaStream_t stream) {
  const std::size_t vectors = rows * width / 8;
  move_rows<<<flat_blocks(vectors), flat_threads, 0, stream>>>(reinterpret_cast<const uint4*>(in), from,
                                                               reinterpret_cast<uint4*>(out), to, vectors, width / 8);
  check_launch();
}

}  // namespace

void residual_rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* out,
                      int tokens, int width, cudaStream_t stream) {
  const int vectors = width / 8;
  const int threads = std::min(1024, (vectors + 31) / 32 * 32);
  if (vectors > 2 * threads) throw DeviceError("rows of more than 16384 elements are not supported");
  residual_rmsnorm_rows<<<tokens, threads, 0, stream>>>(x, residual, weight, out, width);
  check_launch();
}

void silu_mul(const __nv_bfloat16* gate_up, __nv_bfloat16* out, int tokens, int ffn, cudaStream_t stream) {
  const std::size_t vectors = static_cast<std::size_t>(tokens) * ffn / 8;
  silu_mul_vectors<<<flat_blocks(vectors), flat_threads, 0, stream>>>(gate_up, out, vectors, ffn / 8);
  check_launch();
}

void rope_kv_write(const __nv_bfloat16* qkv, const int* positions, const int* slots, __nv_bfloat16* q_out,
                   __nv_bfloat16* k_pages, __nv_bfloat16* v_pages, int tokens, int q_heads, int kv_heads,
                   cudaStream_t stream) {
  const int pairs = tokens * (q_heads + 2 * kv_heads) * (head_dim / 16);
  rope_kv_write_pairs<<<flat_blocks(pairs), flat_threads, 0, stream>>>(qkv, positions, slots, q_out, k_pages, v_pages, q_heads,
                                                                       kv_heads, pairs);
  check_launch();
}

void embedding(const __nv_bfloat16* table, const int* ids, __nv_bfloat16* out, int tokens, int width, cudaStream_t stream) {
  move(table, ids, out, nullptr, tokens, width, stream);
}

void kv_gather(const __nv_bfloat16* pool, const int* pages, __nv_bfloat16* out, int count, int page_elements, cudaStream_t stream) {
  move(pool, pages, out, nullptr, count, page_elements, stream);
}

void kv_scatter(const __nv_bfloat16* in, const int* pages, __nv_bfloat16* pool, int count, int page_elements, cudaStream_t stream) {
  move(in, nullptr, pool, pages, count, page_elements, stream);
}

namespace {

__global__ void copy_vectors(const uint4* in, uint4* out, std::size_t vectors) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(flat_threads) + threadIdx.x; i < vectors;
       i += static_cast<std::size_t>(gridDim.x) * flat_threads)
    out[i] = in[i];
}

__global__ void sum_vectors(const __nv_bfloat16* in, float* sum, std::size_t vectors) {
  constexpr int unroll = 4;
  float mine = 0;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * flat_threads;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(flat_threads) + threadIdx.x; i < vectors; i += unroll * step) {
    Vector8 values[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) values[u] = i + u * step < vectors ? Vector8::load(in + (i + u * step) * 8) : Vector8{};
#pragma unroll
    for (int u = 0; u < unroll; ++u)
#pragma unroll
      for (int j = 0; j < 8; ++j) mine += values[u].v[j];
  }
  mine = block_sum(mine);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

/// Eight full waves of blocks on 132 SMs: long streams then differ by less than one wave at the end.
constexpr int stream_blocks = 132 * 8;

}  // namespace

void stream_copy(const __nv_bfloat16* in, __nv_bfloat16* out, std::size_t count, cudaStream_t stream) {
  copy_vectors<<<std::min(flat_blocks(count / 8), stream_blocks * 4), flat_threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(in), reinterpret_cast<uint4*>(out), count / 8);
  check_launch();
}

void stream_read(const __nv_bfloat16* in, float* sum, std::size_t count, cudaStream_t stream) {
  check(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
  sum_vectors<<<std::min(flat_blocks(count / 8), stream_blocks), flat_threads, 0, stream>>>(in, sum, count / 8);
  check_launch();
}

}  // namespace rackwright::kernels
