#pragma once

#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/operators/prefill_attention.h"
#include "models/kernels/shapes/attention_cases.h"

namespace rackwright::kernels {

class CudnnAttention;

/// Prompt attention. Keys and values rotate over more than the L2 cache when there is a past (they lie
/// in HBM in a model); otherwise everything was written shortly before and stays where it is.
class PrefillOperation : public Operation {
 public:
  /// `cudnn` null: our own kernel.
  PrefillOperation(Arena& arena, Accuracy& accuracy, const PrefillCase& shape, const CudnnAttention* cudnn);
  int slots() const override { return static_cast<int>(keys_.size()); }
  void refresh(std::uint64_t seed, cudaStream_t stream) override;
  void launch(int slot, cudaStream_t stream) override;
  double error(int slot, cudaStream_t stream) override;

 private:
  PrefillAttention arguments(int slot) const;

  Arena& arena_;
  Accuracy& accuracy_;
  PrefillCase shape_;
  const CudnnAttention* cudnn_;
  std::size_t q_elements_;
  std::size_t kv_elements_;
  __nv_bfloat16* q_;
  __nv_bfloat16* out_;
  std::vector<__nv_bfloat16*> keys_;
  std::vector<__nv_bfloat16*> values_;
};

}  // namespace rackwright::kernels
