#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/families/cold_slots.h"
#include "models/kernels/families/gemm_operation.h"
#include "models/kernels/measure/hash.cuh"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr int samples = 1024;

/// One warp per sampled element: the dot product in fp32 over 32 strided parts.
template <class T>
__global__ void sampled_product(const T* x, const T* w, const __nv_bfloat16* y, int m, int n, int k, int seed,
                                float* actual, float* expected) {
  const int sample = blockIdx.x;
  // The corners first, then anywhere.
  std::size_t row = static_cast<std::size_t>(counter_hash(2 * sample, seed)) % m;
  std::size_t column = static_cast<std::size_t>(counter_hash(2 * sample + 1, seed)) % n;
  if (sample < 4) {
    row = sample & 1 ? m - 1 : 0;
    column = sample & 2 ? n - 1 : 0;
  }
  float sum = 0;
  for (int i = threadIdx.x; i < k; i += 32)
    sum += static_cast<float>(x[row * k + i]) * static_cast<float>(w[column * k + i]);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) {
    actual[sample] = static_cast<float>(y[row * n + column]);
    expected[sample] = sum;
  }
}

}  // namespace

GemmOperation::GemmOperation(Arena& arena, const BlasLt& blas, Accuracy& accuracy, const GemmCase& shape)
    : gemm_(blas, shape), accuracy_(accuracy) {
  const std::size_t e = bytes_of(shape.type);
  x_ = arena.take<std::byte>(e * shape.m * shape.k);
  y_ = arena.take<__nv_bfloat16>(static_cast<std::size_t>(shape.m) * shape.n);
  const std::size_t weight_bytes = e * shape.n * shape.k;
  weights_.resize(cold_slots(weight_bytes));
  for (auto& weight : weights_) weight = arena.take<std::byte>(weight_bytes);
}

void GemmOperation::fill(void* operand, std::size_t count, float sigma, std::uint64_t seed, cudaStream_t stream) const {
  if (gemm_.shape().type == OperandType::bf16)
    fill_normal(static_cast<__nv_bfloat16*>(operand), count, sigma, seed, stream);
  else
    fill_normal(static_cast<__nv_fp8_e4m3*>(operand), count, sigma, seed, stream);
}

void GemmOperation::refresh(std::uint64_t seed, cudaStream_t stream) {
  const GemmCase& s = gemm_.shape();
  // Weights scaled so that outputs have unit variance; fp8 weights stay at 1, clear of e4m3's subnormals.
  const float sigma = s.type == OperandType::bf16 ? 1 / std::sqrt(static_cast<float>(s.k)) : 1.0f;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    fill(weights_[i], static_cast<std::size_t>(s.n) * s.k, sigma, seed * 64 + i, stream);
  fill(x_, static_cast<std::size_t>(s.m) * s.k, 1, seed * 64 + 63, stream);
  poison(y_, static_cast<std::size_t>(s.m) * s.n, stream);
}

void GemmOperation::launch(int slot, cudaStream_t stream) { gemm_.run(x_, weights_[slot], y_, stream); }

double GemmOperation::error(int slot, cudaStream_t stream) {
  const GemmCase& s = gemm_.shape();
  const auto sampled = [&]<class T>(const T* x, const T* w) {
    sampled_product<T><<<samples, 32, 0, stream>>>(x, w, y_, s.m, s.n, s.k, s.m + s.n, accuracy_.actual(),
                                                   accuracy_.expected());
    check_launch();
  };
  if (s.type == OperandType::bf16)
    sampled(static_cast<const __nv_bfloat16*>(x_), static_cast<const __nv_bfloat16*>(weights_[slot]));
  else
    sampled(static_cast<const __nv_fp8_e4m3*>(x_), static_cast<const __nv_fp8_e4m3*>(weights_[slot]));
  return accuracy_.relative_error(samples, y_, static_cast<std::size_t>(s.m) * s.n, stream);
}

}  // namespace rackwright::kernels
