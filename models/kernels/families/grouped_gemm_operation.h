#pragma once

#include <memory>
#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/operators/grouped_gemm.h"

namespace rackwright::kernels {

/// Products of all experts of a device; their weights rotate through more than the L2 cache.
class GroupedGemmOperation : public Operation {
 public:
  GroupedGemmOperation(Arena& arena, const Blas& blas, Accuracy& accuracy, const GroupedGemmCase& shape);
  int slots() const override { return static_cast<int>(weights_.size()); }
  void refresh(std::uint64_t seed, cudaStream_t stream) override;
  void launch(int slot, cudaStream_t stream) override;
  double error(int slot, cudaStream_t stream) override;

 private:
  GroupedGemmCase shape_;
  Accuracy& accuracy_;
  __nv_bfloat16* x_;
  __nv_bfloat16* y_;
  int* expert_of_row_;
  std::vector<__nv_bfloat16*> weights_;
  std::vector<std::unique_ptr<GroupedGemm>> products_;
};

}  // namespace rackwright::kernels
