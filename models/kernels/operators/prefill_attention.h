#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "models/kernels/operators/prompt_tile.h"

namespace rackwright::kernels {

/// Queries, keys and values of prompts, head dimension 128.
///
/// q: [rows, q_heads, 128] with `q_stride` elements between rows; out the same shape, dense. k and v: [tokens, kv_heads, 128], dense.
struct PromptBatch {
  const __nv_bfloat16* q = nullptr;
  const __nv_bfloat16* k = nullptr;
  const __nv_bfloat16* v = nullptr;
  __nv_bfloat16* out = nullptr;
  int q_stride = 0;
  int q_heads = 0;
  int kv_heads = 0;
};

/// Causal attention of several prompts alike, of new_tokens rows and past_tokens + new_tokens tokens each, one after another.
struct PrefillAttention : PromptBatch {
  int sequences = 1;
  int new_tokens = 0;
  int past_tokens = 0;
};

/// Tiles of prompts that differ, counted and listed on the device, those with the most keys first; `most`: room for.
struct PromptTiles {
  const int* count = nullptr;
  const PromptTile* tiles = nullptr;
  int most = 0;
};

/// Tiles of 128 queries × 64 keys by four warps, keys and values streamed through shared memory: the
/// structure of FlashAttention-2 (Dao, 2023), on the mma.sync path and not on Hopper's own wgmma.
void prefill_attention(const PrefillAttention& arguments, cudaStream_t stream);

/// The same for one launch that serves batches which differ from one run to the next (a captured graph).
void prefill_attention(const PromptBatch& batch, const PromptTiles& tiles, cudaStream_t stream);

}  // namespace rackwright::kernels
