#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace rackwright::kernels {

/// Causal attention of several prompts alike over contiguous keys and values, head dimension 128.
///
/// q: [sequences · new_tokens, q_heads, 128] with `q_stride` elements between tokens; out the same shape,
/// dense. k and v: [sequences, past_tokens + new_tokens, kv_heads, 128], dense.
struct PrefillAttention {
  const __nv_bfloat16* q = nullptr;
  const __nv_bfloat16* k = nullptr;
  const __nv_bfloat16* v = nullptr;
  __nv_bfloat16* out = nullptr;
  int q_stride = 0;
  int sequences = 1;
  int new_tokens = 0;
  int past_tokens = 0;
  int q_heads = 0;
  int kv_heads = 0;
};

/// Tiles of 128 queries × 64 keys by four warps, keys and values streamed through shared memory: the
/// structure of FlashAttention-2 (Dao, 2023), on the mma.sync path and not on Hopper's own wgmma.
void prefill_attention(const PrefillAttention& arguments, cudaStream_t stream);

}  // namespace rackwright::kernels
