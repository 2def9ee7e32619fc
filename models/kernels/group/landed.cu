#include "models/base/invariant.h"
#include "models/kernels/device/check.h"
#include "models/kernels/group/landed.h"
#include "models/kernels/operators/vector.cuh"

namespace rackwright::kernels {
namespace {

constexpr int most_sources = 16;
/// Of a bf16 value of 8 significant bits, with a little for the reference's own sum.
constexpr float rounding = 1.05f / 256;

struct Inputs {
  const __nv_bfloat16* of[most_sources];
  int count;
};

__global__ void count_wrong(Inputs inputs, const __nv_bfloat16* result, std::size_t words, unsigned long long* found) {
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < words; i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    float sum[8] = {}, size[8] = {};
    for (int s = 0; s < inputs.count; ++s) {
      const Vector8 input = Vector8::load(inputs.of[s] + 8 * i);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        sum[j] += input.v[j];
        size[j] += fabsf(input.v[j]);
      }
    }
    const Vector8 actual = Vector8::load(result + 8 * i);
    bool same = true;
#pragma unroll
    for (int j = 0; j < 8; ++j) same = same && fabsf(actual.v[j] - sum[j]) <= rounding * (inputs.count - 1) * size[j];  // False for NaN.
    mine += same ? 0 : 1;
  }
  if (mine > 0) atomicAdd(found, mine);
}

}  // namespace

unsigned long long wrong_words(const DeviceGroup& group, std::size_t offset, const ExpectedPart& part, const std::byte* result, cudaStream_t stream) {
  invariant(part.sources <= most_sources && part.count % 8 == 0, "parts are whole words of a known number of sources");
  Inputs inputs{};
  inputs.count = part.sources;
  for (int s = 0; s < part.sources; ++s)
    inputs.of[s] = reinterpret_cast<const __nv_bfloat16*>(group.side(part.first_source + s).send + offset) + part.from;
  unsigned long long* found = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&found), sizeof *found));
  check(cudaMemsetAsync(found, 0, sizeof *found, stream));
  count_wrong<<<1024, 256, 0, stream>>>(inputs, reinterpret_cast<const __nv_bfloat16*>(result) + part.at, part.count / 8, found);
  check_launch();
  unsigned long long words = 0;
  check(cudaMemcpyAsync(&words, found, sizeof words, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  cudaFree(found);
  return words;
}

}  // namespace rackwright::kernels
