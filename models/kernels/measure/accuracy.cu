#include <cmath>
#include <limits>
#include <vector>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/accuracy.h"

namespace rackwright::kernels {
namespace {

__global__ void count_nan(const __nv_bfloat16* values, std::size_t count, int* found) {
  int mine = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    mine += __hisnan(values[i]) ? 1 : 0;
  if (mine > 0) atomicAdd(found, mine);
}

}  // namespace

Accuracy::Accuracy() {
  check(cudaMalloc(reinterpret_cast<void**>(&actual_), capacity * sizeof(float)));
  check(cudaMalloc(reinterpret_cast<void**>(&expected_), capacity * sizeof(float)));
  check(cudaMalloc(reinterpret_cast<void**>(&unwritten_), sizeof(int)));
}

Accuracy::~Accuracy() {
  cudaFree(actual_);
  cudaFree(expected_);
  cudaFree(unwritten_);
}

bool Accuracy::has_nan(const __nv_bfloat16* whole, std::size_t count, cudaStream_t stream) {
  check(cudaMemsetAsync(unwritten_, 0, sizeof(int), stream));
  count_nan<<<1024, 256, 0, stream>>>(whole, count, unwritten_);
  check_launch();
  int unwritten = 0;
  check(cudaMemcpyAsync(&unwritten, unwritten_, sizeof(int), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return unwritten > 0;
}

double Accuracy::relative_error(int samples, const __nv_bfloat16* whole, std::size_t count, cudaStream_t stream) {
  std::vector<float> actual(samples), expected(samples);
  check(cudaMemcpyAsync(actual.data(), actual_, samples * sizeof(float), cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(expected.data(), expected_, samples * sizeof(float), cudaMemcpyDeviceToHost, stream));
  if (has_nan(whole, count, stream)) return std::numeric_limits<double>::quiet_NaN();
  return kernels::relative_error(actual, expected);
}

double relative_error(std::span<const float> actual, std::span<const float> expected) {
  double difference = 0, reference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = static_cast<double>(actual[i]) - expected[i];
    difference += d * d;
    reference += static_cast<double>(expected[i]) * expected[i];
  }
  return std::sqrt(difference / reference);
}

}  // namespace rackwright::kernels
