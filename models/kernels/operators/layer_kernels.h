#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace rackwright::kernels {

/// The memory-bound pieces of a decoder layer, bf16 with fp32 arithmetic inside, one kernel each.
/// Widths are multiples of 8, rows dense; `tokens` rows.

inline constexpr float rmsnorm_epsilon = 1e-5f;

/// residual += x; out = residual / rms(residual) · weight. With x null the residual is only read.
void residual_rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* out,
                      int tokens, int width, cudaStream_t stream);

/// out[t, f] = silu(gate) · up of the joint row [gate f, up f].
void silu_mul(const __nv_bfloat16* gate_up, __nv_bfloat16* out, int tokens, int ffn, cudaStream_t stream);

/// Rotates q and k of the joint rows [q, k, v] by their positions (base 500000, halves paired), writes q
/// to q_out and stores k and v into slot `slots[t]` of [slots, kv_heads, 128] pages.
void rope_kv_write(const __nv_bfloat16* qkv, const int* positions, const int* slots, __nv_bfloat16* q_out,
                   __nv_bfloat16* k_pages, __nv_bfloat16* v_pages, int tokens, int q_heads, int kv_heads,
                   cudaStream_t stream);

/// out[t] = table[ids[t]].
void embedding(const __nv_bfloat16* table, const int* ids, __nv_bfloat16* out, int tokens, int width, cudaStream_t stream);

/// Copies `pages` pages of `page_elements` between their scattered places and one contiguous buffer.
void kv_gather(const __nv_bfloat16* pool, const int* pages, __nv_bfloat16* out, int count, int page_elements, cudaStream_t stream);
void kv_scatter(const __nv_bfloat16* in, const int* pages, __nv_bfloat16* pool, int count, int page_elements, cudaStream_t stream);

inline constexpr int experts_per_token = 8;

/// The 8 largest of `experts` (at most 256) logits per token: their softmax over the 8, and which they are.
void router_top8(const __nv_bfloat16* logits, float* weights, int* chosen, int tokens, int experts, cudaStream_t stream);

/// out[places[8t + i]] = in[t] for the 8 places of token t.
void moe_permute(const __nv_bfloat16* in, const int* places, __nv_bfloat16* out, int tokens, int width, cudaStream_t stream);

/// out[t] = Σ weights[8t + i] · in[places[8t + i]].
void moe_combine(const __nv_bfloat16* in, const int* places, const float* weights, __nv_bfloat16* out, int tokens, int width,
                 cudaStream_t stream);

/// out[i] = in[i] over whole vectors of 8; and the sum of all elements into out[0] (one float, set to 0 first).
void stream_copy(const __nv_bfloat16* in, __nv_bfloat16* out, std::size_t count, cudaStream_t stream);
void stream_read(const __nv_bfloat16* in, float* sum, std::size_t count, cudaStream_t stream);

}  // namespace rackwright::kernels
