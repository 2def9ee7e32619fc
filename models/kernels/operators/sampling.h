#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace rackwright::kernels {

/// chosen[r] = index of the largest of `vocabulary` logits of row r, the lowest index among equals.
/// `best` is scratch of one 64-bit word per row.
void argmax(const __nv_bfloat16* logits, unsigned long long* best, int* chosen, int rows, int vocabulary, cudaStream_t stream);

/// Samples with temperature 1, top-k 50 and top-p 0.95 after a full descending sort of every row, as
/// engines without a fused sampler do (CUB's segmented radix sort).
class SortSampler {
 public:
  static constexpr int top_k = 50;
  static constexpr float top_p = 0.95f;

  SortSampler(int rows, int vocabulary);
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// `keys` and `ids`: rows · vocabulary elements each (logits in, sorted out). `draws`: one uniform
  /// number in [0, 1) per row.
  void run(const __nv_bfloat16* logits, const int* unsorted_ids, __nv_bfloat16* sorted, int* sorted_ids, void* scratch,
           const float* draws, int* chosen, cudaStream_t stream) const;

 private:
  int rows_;
  int vocabulary_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace rackwright::kernels
