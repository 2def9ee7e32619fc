#include "models/kernels/operators/grouped_gemm.h"

#include "models/kernels/device/check.h"

namespace rackwright::kernels {
namespace {

void check_blas(cublasStatus_t status, std::source_location where = std::source_location::current()) {
  if (status != CUBLAS_STATUS_SUCCESS) device_call_failed(cublasGetStatusString(status), where);
}

template <class Pointer>
Pointer* on_device(Arena& arena, const std::vector<Pointer>& pointers) {
  auto* result = arena.take<Pointer>(pointers.size());
  check(cudaMemcpy(result, pointers.data(), pointers.size() * sizeof(Pointer), cudaMemcpyHostToDevice));
  return result;
}

}  // namespace

Blas::Blas() {
  check_blas(cublasCreate(&handle_));
  check(cudaMalloc(&workspace_, workspace_bytes));
}

Blas::~Blas() {
  cudaFree(workspace_);
  cublasDestroy(handle_);
}

GroupedGemm::GroupedGemm(const Blas& blas, Arena& arena, const GroupedGemmCase& shape, const void* x, const void* w, void* y)
    : blas_(blas) {
  std::vector<const void*> weights, inputs;
  std::vector<void*> outputs;
  const auto rows = shape.rows_per_expert();
  std::size_t before = 0;
  for (int expert = 0; expert < shape.experts; ++expert) {
    if (rows[expert] == 0) continue;
    rows_.push_back(rows[expert]);
    weights.push_back(static_cast<const std::byte*>(w) + 2 * static_cast<std::size_t>(expert) * shape.n * shape.k);
    inputs.push_back(static_cast<const std::byte*>(x) + 2 * before * shape.k);
    outputs.push_back(static_cast<std::byte*>(y) + 2 * before * shape.n);
    before += rows[expert];
  }
  const std::size_t groups = rows_.size();
  weight_operation_.assign(groups, CUBLAS_OP_T);
  input_operation_.assign(groups, CUBLAS_OP_N);
  n_.assign(groups, shape.n);
  k_.assign(groups, shape.k);
  group_size_.assign(groups, 1);
  one_.assign(groups, 1.0f);
  zero_.assign(groups, 0.0f);
  weights_ = on_device(arena, weights);
  inputs_ = on_device(arena, inputs);
  outputs_ = on_device(arena, outputs);
}

void GroupedGemm::run(cudaStream_t stream) const {
  check_blas(cublasSetStream(blas_.handle(), stream));
  // Setting the stream resets the workspace to cuBLAS's own pool.
  check_blas(cublasSetWorkspace(blas_.handle(), blas_.workspace(), Blas::workspace_bytes));
  check_blas(cublasGemmGroupedBatchedEx(blas_.handle(), weight_operation_.data(), input_operation_.data(), n_.data(), rows_.data(),
                                        k_.data(), one_.data(), weights_, CUDA_R_16BF, k_.data(), inputs_, CUDA_R_16BF, k_.data(),
                                        zero_.data(), outputs_, CUDA_R_16BF, n_.data(), static_cast<int>(rows_.size()),
                                        group_size_.data(), CUBLAS_COMPUTE_32F));
}

}  // namespace rackwright::kernels
