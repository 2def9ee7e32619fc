#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace rackwright::kernels {

inline constexpr int mla_latent = 512;
inline constexpr int mla_row = 576;  // latent and 64 rotary dimensions
inline constexpr int mla_page_tokens = 64;

/// Absorbed multi-head latent attention of one query per sequence over paged latent rows.
///
/// q: [batch, heads, 576] dense. pages: [pages, 64, 576]; the value of a token is its first 512 elements.
/// out: [batch, heads, 512]. heads is 16 or a multiple of 64.
struct MlaDecode {
  const __nv_bfloat16* q = nullptr;
  const __nv_bfloat16* pages = nullptr;
  const int* page_table = nullptr;
  const int* lengths = nullptr;
  __nv_bfloat16* out = nullptr;
  float* partial = nullptr;         ///< [batch, heads, splits, 512]
  float2* partial_scale = nullptr;  ///< [batch, heads, splits]
  int pages_per_sequence = 0;
  int batch = 0;
  int heads = 0;
  int splits = 0;
};

/// Enough splits to give every SM one block, at most one per page of the longest sequence.
int mla_splits(int sms, int batch, int heads, int longest);

void mla_decode(const MlaDecode& arguments, cudaStream_t stream);

}  // namespace rackwright::kernels
