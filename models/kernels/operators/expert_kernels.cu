#include "models/kernels/device/check.h"
#include "models/kernels/operators/layer_kernels.h"
#include "models/kernels/operators/vector.cuh"

namespace rackwright::kernels {
namespace {

constexpr int threads = 256;
constexpr int experts_max = 256;

/// One warp a token: eight rounds of picking the largest logit left.
__global__ void pick_top8(const __nv_bfloat16* logits, float* weights, int* chosen, int tokens, int experts) {
  constexpr int per_lane = experts_max / 32;
  const int token = blockIdx.x * (threads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (token >= tokens) return;
  float value[per_lane];
#pragma unroll
  for (int i = 0; i < per_lane; ++i) {
    const int expert = i * 32 + lane;
    value[i] = expert < experts ? static_cast<float>(logits[static_cast<std::size_t>(token) * experts + expert]) : -INFINITY;
  }
  float largest = 0, total = 0, mine = 0;
  int my_expert = 0;
  for (int round = 0; round < experts_per_token; ++round) {
    float best = -INFINITY;
    int which = experts;
#pragma unroll
    for (int i = 0; i < per_lane; ++i)
      if (value[i] > best) {
        best = value[i];
        which = i * 32 + lane;
      }
    for (int offset = 16; offset > 0; offset /= 2) {
      const float other = __shfl_xor_sync(~0u, best, offset);
      const int other_which = __shfl_xor_sync(~0u, which, offset);
      if (other > best || (other == best && other_which < which)) {
        best = other;
        which = other_which;
      }
    }
#pragma unroll
    for (int i = 0; i < per_lane; ++i)
      if (i * 32 + lane == which) value[i] = -INFINITY;
    if (round == 0) largest = best;
    const float weight = __expf(best - largest);
    total += weight;
    if (lane == round) {
      mine = weight;
      my_expert = which;
    }
  }
  if (lane < experts_per_token) {
    weights[token * experts_per_token + lane] = mine / total;
    chosen[token * experts_per_token + lane] = my_expert;
  }
}

__global__ void copy_to_places(const uint4* in, const int* places, uint4* out, std::size_t vectors, int row_vectors) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (i >= vectors) return;
  const std::size_t row = i / row_vectors, column = i % row_vectors;
  const uint4 value = in[i];
#pragma unroll
  for (int e = 0; e < experts_per_token; ++e)
    out[static_cast<std::size_t>(places[row * experts_per_token + e]) * row_vectors + column] = value;
}

__global__ void weighted_sum(const __nv_bfloat16* in, const int* places, const float* weights, __nv_bfloat16* out,
                             std::size_t vectors, int row_vectors) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (i >= vectors) return;
  const std::size_t row = i / row_vectors, column = i % row_vectors;
  Vector8 sum{};
#pragma unroll
  for (int e = 0; e < experts_per_token; ++e) {
    const float weight = weights[row * experts_per_token + e];
    const Vector8 part = Vector8::load(in + (static_cast<std::size_t>(places[row * experts_per_token + e]) * row_vectors + column) * 8);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum.v[j] += weight * part.v[j];
  }
  sum.store(out + i * 8);
}

int blocks_for(std::size_t items) { return static_cast<int>((items + threads - 1) / threads); }

}  // namespace

void router_top8(const __nv_bfloat16* logits, float* weights, int* chosen, int tokens, int experts, cudaStream_t stream) {
  if (experts > experts_max) throw DeviceError("routers of more than 256 experts are not supported");
  pick_top8<<<blocks_for(static_cast<std::size_t>(tokens) * 32), threads, 0, stream>>>(logits, weights, chosen, tokens, experts);
  check_launch();
}

void moe_permute(const __nv_bfloat16* in, const int* places, __nv_bfloat16* out, int tokens, int width, cudaStream_t stream) {
  const std::size_t vectors = static_cast<std::size_t>(tokens) * width / 8;
  copy_to_places<<<blocks_for(vectors), threads, 0, stream>>>(reinterpret_cast<const uint4*>(in), places,
                                                              reinterpret_cast<uint4*>(out), vectors, width / 8);
  check_launch();
}

void moe_combine(const __nv_bfloat16* in, const int* places, const float* weights, __nv_bfloat16* out, int tokens, int width,
                 cudaStream_t stream) {
  const std::size_t vectors = static_cast<std::size_t>(tokens) * width / 8;
  weighted_sum<<<blocks_for(vectors), threads, 0, stream>>>(in, places, weights, out, vectors, width / 8);
  check_launch();
}

}  // namespace rackwright::kernels
