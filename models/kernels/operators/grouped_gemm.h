#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/shapes/gemm_cases.h"

namespace rackwright::kernels {

/// cuBLAS with a fixed workspace, so that its calls can be captured into graphs.
class Blas {
 public:
  Blas();
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  static constexpr std::size_t workspace_bytes = 32u << 20;  // as PyTorch sets it on Hopper
  cublasHandle_t handle() const { return handle_; }
  void* workspace() const { return workspace_; }

 private:
  cublasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

/// One product per expert that has rows, all in one call (cublasGemmGroupedBatchedEx): rows of `x` and
/// `y` lie in expert order, weights as [experts, n, k].
class GroupedGemm {
 public:
  GroupedGemm(const Blas& blas, Arena& arena, const GroupedGemmCase& shape, const void* x, const void* w, void* y);
  void run(cudaStream_t stream) const;

 private:
  const Blas& blas_;
  std::vector<cublasOperation_t> weight_operation_, input_operation_;
  std::vector<int> n_, rows_, k_, group_size_;
  std::vector<float> one_, zero_;
  const void** weights_ = nullptr;
  const void** inputs_ = nullptr;
  void** outputs_ = nullptr;
};

}  // namespace rackwright::kernels
