#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/measure/accuracy.h"

namespace rackwright::kernels {

/// One query head whose attention is recomputed in fp32: `keys` rows from `k` (page by page when there
/// is a table, contiguous otherwise), scores scaled by `scale`, values from the same rows of `v`.
struct AttentionSample {
  const __nv_bfloat16* q = nullptr;
  const __nv_bfloat16* out = nullptr;
  const __nv_bfloat16* k = nullptr;  ///< Row 0 of this head's keys (of page 0 when paged).
  const __nv_bfloat16* v = nullptr;
  const int* page_table = nullptr;  ///< Of this sequence, or null.
  int keys = 0;
};

/// Dimensions shared by all samples of one call. Strides in elements.
struct AttentionDims {
  int key_dim = 128;
  int value_dim = 128;
  int row_stride = 0;
  int page_tokens = 1;
  float scale = 0;
};

/// Recomputes the samples and compares them with what the kernel wrote; NaN when any of the `count`
/// elements at `whole` stayed unwritten. Takes and gives back arena space for the scores.
double attention_error(Arena& arena, Accuracy& accuracy, const std::vector<AttentionSample>& samples, const AttentionDims& dims,
                       const __nv_bfloat16* whole, std::size_t count, cudaStream_t stream);

}  // namespace rackwright::kernels
