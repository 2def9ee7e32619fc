#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstddef>

#include "models/kernels/shapes/gemm_cases.h"

namespace rackwright::kernels {

/// cuBLASLt on one device, with the workspace that PyTorch gives it on Hopper (32 MiB).
class BlasLt {
 public:
  BlasLt();
  ~BlasLt();
  BlasLt(const BlasLt&) = delete;
  BlasLt& operator=(const BlasLt&) = delete;

  static constexpr std::size_t workspace_bytes = 32u << 20;
  cublasLtHandle_t handle() const { return handle_; }
  void* workspace() const { return workspace_; }
  const float* unit_scale() const { return unit_scale_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  float* unit_scale_ = nullptr;  ///< Device memory holding 1, the scale of fp8 operands.
};

/// y[m, n] = x[m, k] · W[n, k]ᵀ, all row-major, by the first algorithm of cuBLASLt's heuristics, as
/// serving engines take it. bf16 output, fp32 accumulation; fp8 with fast accumulation.
class Gemm {
 public:
  /// Throws DeviceError when cuBLASLt offers no algorithm. `blas` must outlive the object.
  Gemm(const BlasLt& blas, const GemmCase& shape);
  ~Gemm();
  Gemm(const Gemm&) = delete;
  Gemm& operator=(const Gemm&) = delete;

  void run(const void* x, const void* w, void* y, cudaStream_t stream) const;
  const GemmCase& shape() const { return shape_; }

 private:
  const BlasLt& blas_;
  GemmCase shape_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t weight_layout_ = nullptr;
  cublasLtMatrixLayout_t input_layout_ = nullptr;
  cublasLtMatrixLayout_t output_layout_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace rackwright::kernels
