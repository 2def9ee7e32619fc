#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/families/step_layer.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/operators/decode_attention.h"
#include "models/kernels/operators/gemm.h"
#include "models/kernels/operators/prefill_attention.h"
#include "models/kernels/shapes/step_cases.h"

namespace rackwright::kernels {

/// A whole forward pass from the profile's own operators: how far the sum of operators is from a step.
///
/// Weights and keys are drawn once, token ids and positions every time. The operators are checked one
/// by one elsewhere; here the logits must be finite. Sequences share one page pool per layer.
class StepOperation : public Operation {
 public:
  /// Sums `count` elements over the ranks of a tensor group, in place.
  using AllReduce = std::function<void(__nv_bfloat16* elements, std::size_t count, cudaStream_t stream)>;

  /// `all_reduce` follows each layer's attention and feed-forward part; empty: one rank's share alone.
  StepOperation(Arena& arena, const BlasLt& blas, Accuracy& accuracy, const StepCase& shape, std::uint64_t seed, cudaStream_t stream,
                AllReduce all_reduce = {});
  ~StepOperation() override;
  int slots() const override { return 1; }
  void refresh(std::uint64_t seed, cudaStream_t stream) override;
  void launch(int slot, cudaStream_t stream) override;
  /// 0 when every logit is finite, NaN otherwise.
  double error(int slot, cudaStream_t stream) override;

 private:
  struct Cache {
    __nv_bfloat16 *keys, *values;
  };
  void launch_attention(const Cache& cache, cudaStream_t stream);
  void sum_over_ranks(cudaStream_t stream);

  Accuracy& accuracy_;
  StepCase shape_;
  AllReduce all_reduce_;
  StepProducts products_;
  Gemm lm_head_;
  StepWeights weights_;
  StepActivations activations_;
  std::vector<Cache> caches_;  ///< One a layer.
  int pages_per_sequence_;
  int pool_pages_;
  __nv_bfloat16* logits_;
  int *ids_, *positions_, *kv_slots_, *page_table_, *lengths_, *chosen_;
  unsigned long long* best_;
  float* partial_;
  float2* partial_scale_;
};

}  // namespace rackwright::kernels
