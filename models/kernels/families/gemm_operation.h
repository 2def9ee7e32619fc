#pragma once

#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/operators/gemm.h"

namespace rackwright::kernels {

/// A dense product over weights that rotate through more memory than the L2 cache holds; the input
/// and the output are shared, as a layer's activations are reused while its weights come from HBM.
class GemmOperation : public Operation {
 public:
  GemmOperation(Arena& arena, const BlasLt& blas, Accuracy& accuracy, const GemmCase& shape);
  int slots() const override { return static_cast<int>(weights_.size()); }
  void refresh(std::uint64_t seed, cudaStream_t stream) override;
  void launch(int slot, cudaStream_t stream) override;
  double error(int slot, cudaStream_t stream) override;

 private:
  void fill(void* operand, std::size_t count, float sigma, std::uint64_t seed, cudaStream_t stream) const;

  Gemm gemm_;
  Accuracy& accuracy_;
  void* x_;
  __nv_bfloat16* y_;
  std::vector<void*> weights_;
};

}  // namespace rackwright::kernels
