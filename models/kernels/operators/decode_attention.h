#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace rackwright::kernels {

inline constexpr int page_tokens = 16;
inline constexpr int partition_tokens = 256;

/// Paged attention of one query per sequence, head dimension 128, at most 16 query heads per KV head.
///
/// q and out: [batch, q_heads, 128], q with `q_stride` elements between sequences. k_pages and v_pages:
/// [pages, 16, kv_heads, 128]. page_table: [batch, pages_per_sequence]. lengths: [batch], on the device.
/// partial and partial_scale: scratch of partial_elements() and partial_scale_elements().
struct DecodeAttention {
  const __nv_bfloat16* q = nullptr;
  const __nv_bfloat16* k_pages = nullptr;
  const __nv_bfloat16* v_pages = nullptr;
  const int* page_table = nullptr;
  const int* lengths = nullptr;
  __nv_bfloat16* out = nullptr;
  float* partial = nullptr;
  float2* partial_scale = nullptr;
  int q_stride = 0;
  int pages_per_sequence = 0;
  int batch = 0;
  int q_heads = 0;
  int kv_heads = 0;
  int partitions = 0;  ///< Of the longest sequence: ⌈length / 256⌉.
};

/// The parts of 256 tokens that sequences really have, counted and listed on the device: {sequence, part of it}.
struct DecodeParts {
  const int* count = nullptr;
  const int2* parts = nullptr;
};

std::size_t decode_partial_elements(int batch, int q_heads, int partitions);

/// Split KV (as in FlashDecoding): one block per sequence, KV head and 256 tokens, then one block per
/// sequence and query head that combines the partitions.
void decode_attention(const DecodeAttention& arguments, cudaStream_t stream);

/// The same where one launch serves batches whose lengths differ from one run to the next (a captured graph): `partitions` is what
/// there is room for.
void decode_attention(const DecodeAttention& arguments, const DecodeParts& parts, int sms, cudaStream_t stream);

}  // namespace rackwright::kernels
