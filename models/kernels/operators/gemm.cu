#include "models/kernels/device/check.h"
#include "models/kernels/operators/gemm.h"

namespace rackwright::kernels {
namespace {

void check_blas(cublasStatus_t status, std::source_location where = std::source_location::current()) {
  if (status != CUBLAS_STATUS_SUCCESS) device_call_failed(cublasLtGetStatusString(status), where);
}

template <class Value>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check_blas(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value));
}

}  // namespace

BlasLt::BlasLt() {
  check_blas(cublasLtCreate(&handle_));
  check(cudaMalloc(&workspace_, workspace_bytes));
  check(cudaMalloc(reinterpret_cast<void**>(&unit_scale_), sizeof(float)));
  const float one = 1;
  check(cudaMemcpy(unit_scale_, &one, sizeof one, cudaMemcpyHostToDevice));
}

BlasLt::~BlasLt() {
  cudaFree(unit_scale_);
  cudaFree(workspace_);
  cublasLtDestroy(handle_);
}

// Row-major y = x·Wᵀ is column-major yᵀ = W·xᵀ: W is stored k × n with leading dimension k and is transposed.
Gemm::Gemm(const BlasLt& blas, const GemmCase& shape) : blas_(blas), shape_(shape) {
  const bool fp8 = shape.type == OperandType::fp8_e4m3;
  if (fp8 && (shape.k % 16 != 0 || shape.n % 16 != 0)) throw DeviceError("fp8 products need n and k in multiples of 16");
  const cudaDataType_t operand = fp8 ? CUDA_R_8F_E4M3 : CUDA_R_16BF;
  check_blas(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(operation_, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  if (fp8) {
    set(operation_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
    set(operation_, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, blas.unit_scale());
    set(operation_, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, blas.unit_scale());
  }
  check_blas(cublasLtMatrixLayoutCreate(&weight_layout_, operand, shape.k, shape.n, shape.k));
  check_blas(cublasLtMatrixLayoutCreate(&input_layout_, operand, shape.k, shape.m, shape.k));
  check_blas(cublasLtMatrixLayoutCreate(&output_layout_, CUDA_R_16BF, shape.n, shape.m, shape.n));
  cublasLtMatmulPreference_t preference = nullptr;
  check_blas(cublasLtMatmulPreferenceCreate(&preference));
  const std::size_t workspace = BlasLt::workspace_bytes;
  check_blas(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                  sizeof workspace));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const auto status = cublasLtMatmulAlgoGetHeuristic(blas.handle(), operation_, weight_layout_, input_layout_,
                                                     output_layout_, output_layout_, preference, 1, &found, &count);
  cublasLtMatmulPreferenceDestroy(preference);
  check_blas(status);
  if (count == 0) throw DeviceError("cuBLASLt offers no algorithm");
  algorithm_ = found.algo;
}

Gemm::~Gemm() {
  cublasLtMatrixLayoutDestroy(output_layout_);
  cublasLtMatrixLayoutDestroy(input_layout_);
  cublasLtMatrixLayoutDestroy(weight_layout_);
  cublasLtMatmulDescDestroy(operation_);
}

void Gemm::run(const void* x, const void* w, void* y, cudaStream_t stream) const {
  const float one = 1, zero = 0;
  check_blas(cublasLtMatmul(blas_.handle(), operation_, &one, w, weight_layout_, x, input_layout_, &zero, y,
                            output_layout_, y, output_layout_, &algorithm_, blas_.workspace(),
                            BlasLt::workspace_bytes, stream));
}

}  // namespace rackwright::kernels
