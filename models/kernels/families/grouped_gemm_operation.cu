#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/families/cold_slots.h"
#include "models/kernels/families/grouped_gemm_operation.h"
#include "models/kernels/measure/hash.cuh"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr int samples = 1024;

/// As for the dense product, with the weights of the row's expert; one warp a sample.
__global__ void sampled_expert_product(const __nv_bfloat16* x, const __nv_bfloat16* w, const __nv_bfloat16* y, const int* expert_of_row,
                                       int rows, int n, int k, float* actual, float* expected) {
  const std::size_t row = counter_hash(2 * blockIdx.x, rows) % rows, column = counter_hash(2 * blockIdx.x + 1, rows) % n;
  const __nv_bfloat16* weight = w + (static_cast<std::size_t>(expert_of_row[row]) * n + column) * k;
  float sum = 0;
  for (int i = threadIdx.x; i < k; i += 32) sum += static_cast<float>(x[row * k + i]) * static_cast<float>(weight[i]);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) {
    actual[blockIdx.x] = static_cast<float>(y[row * n + column]);
    expected[blockIdx.x] = sum;
  }
}

}  // namespace

GroupedGemmOperation::GroupedGemmOperation(Arena& arena, const Blas& blas, Accuracy& accuracy, const GroupedGemmCase& shape)
    : shape_(shape), accuracy_(accuracy) {
  x_ = arena.take<__nv_bfloat16>(static_cast<std::size_t>(shape.rows) * shape.k);
  y_ = arena.take<__nv_bfloat16>(static_cast<std::size_t>(shape.rows) * shape.n);
  expert_of_row_ = arena.take<int>(shape.rows);
  std::vector<int> expert_of_row;
  const auto rows = shape.rows_per_expert();
  for (int expert = 0; expert < shape.experts; ++expert) expert_of_row.insert(expert_of_row.end(), rows[expert], expert);
  check(cudaMemcpy(expert_of_row_, expert_of_row.data(), expert_of_row.size() * sizeof(int), cudaMemcpyHostToDevice));
  const std::size_t elements = static_cast<std::size_t>(shape.experts) * shape.n * shape.k;
  // Few active experts read only a part of the weights: rotate by what is read.
  std::size_t active = 0;
  for (int count : rows) active += count > 0;
  const int slots = std::min(cold_slots(2 * active * shape.n * shape.k), 3);
  for (int i = 0; i < slots; ++i) {
    weights_.push_back(arena.take<__nv_bfloat16>(elements));
    products_.push_back(std::make_unique<GroupedGemm>(blas, arena, shape, x_, weights_.back(), y_));
  }
}

void GroupedGemmOperation::refresh(std::uint64_t seed, cudaStream_t stream) {
  const float sigma = 1 / std::sqrt(static_cast<float>(shape_.k));
  for (std::size_t i = 0; i < weights_.size(); ++i)
    fill_normal(weights_[i], static_cast<std::size_t>(shape_.experts) * shape_.n * shape_.k, sigma, seed * 4 + i, stream);
  fill_normal(x_, static_cast<std::size_t>(shape_.rows) * shape_.k, 1, seed * 4 + 3, stream);
  poison(y_, static_cast<std::size_t>(shape_.rows) * shape_.n, stream);
}

void GroupedGemmOperation::launch(int slot, cudaStream_t stream) { products_[slot]->run(stream); }

double GroupedGemmOperation::error(int slot, cudaStream_t stream) {
  sampled_expert_product<<<samples, 32, 0, stream>>>(x_, weights_[slot], y_, expert_of_row_, shape_.rows, shape_.n, shape_.k,
                                                     accuracy_.actual(), accuracy_.expected());
  check_launch();
  return accuracy_.relative_error(samples, y_, static_cast<std::size_t>(shape_.rows) * shape_.n, stream);
}

}  // namespace rackwright::kernels
