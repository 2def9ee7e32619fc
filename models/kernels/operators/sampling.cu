#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "models/kernels/device/check.h"
#include "models/kernels/operators/sampling.h"
#include "models/kernels/operators/vector.cuh"

namespace rackwright::kernels {
namespace {

constexpr int threads = 512;
constexpr int elements_per_block = threads * 8 * 4;

/// A key that orders like (value, −index): the float's bits made monotone, then the inverted index.
__device__ unsigned long long ordered(float value, int index) {
  unsigned bits = __float_as_uint(value);
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(bits) << 32 | static_cast<unsigned>(~index);
}

__global__ void best_of_part(const __nv_bfloat16* logits, unsigned long long* best, int vocabulary) {
  const __nv_bfloat16* row = logits + static_cast<std::size_t>(blockIdx.y) * vocabulary;
  unsigned long long mine = 0;
  const int first = blockIdx.x * elements_per_block;
  for (int i = first + threadIdx.x * 8; i < min(first + elements_per_block, vocabulary); i += threads * 8) {
    const Vector8 values = Vector8::load(row + i);
#pragma unroll
    for (int j = 0; j < 8; ++j) mine = max(mine, ordered(values.v[j], i + j));
  }
  for (int offset = 16; offset > 0; offset /= 2) mine = max(mine, __shfl_xor_sync(~0u, mine, offset));
  if (threadIdx.x % 32 == 0 && mine != 0) atomicMax(best + blockIdx.y, mine);
}

__global__ void index_of_best(const unsigned long long* best, int* chosen, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) chosen[row] = static_cast<int>(~static_cast<unsigned>(best[row]));
}

/// One warp a row over its 50 largest logits, in order.
__global__ void draw_from_top(const __nv_bfloat16* sorted, const int* ids, const float* draws, int* chosen, int vocabulary) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * vocabulary;
  if (threadIdx.x != 0) return;
  const float top = sorted[row];
  float total = 0;
  for (int i = 0; i < SortSampler::top_k; ++i) total += __expf(static_cast<float>(sorted[row + i]) - top);
  const float target = draws[blockIdx.x] * SortSampler::top_p * total;
  float passed = 0;
  int pick = 0;
  for (; pick < SortSampler::top_k - 1; ++pick) {
    passed += __expf(static_cast<float>(sorted[row + pick]) - top);
    if (passed > target) break;
  }
  chosen[blockIdx.x] = ids[row + pick];
}

struct RowStart {
  int vocabulary;
  __host__ __device__ int operator()(int row) const { return row * vocabulary; }
};

auto row_starts(int vocabulary) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(0), RowStart{vocabulary});
}

}  // namespace

void argmax(const __nv_bfloat16* logits, unsigned long long* best, int* chosen, int rows, int vocabulary, cudaStream_t stream) {
  check(cudaMemsetAsync(best, 0, sizeof *best * rows, stream));
  best_of_part<<<dim3((vocabulary + elements_per_block - 1) / elements_per_block, rows), threads, 0, stream>>>(logits, best, vocabulary);
  check_launch();
  index_of_best<<<(rows + 127) / 128, 128, 0, stream>>>(best, chosen, rows);
  check_launch();
}

SortSampler::SortSampler(int rows, int vocabulary) : rows_(rows), vocabulary_(vocabulary) {
  const auto starts = row_starts(vocabulary);
  check(cub::DeviceSegmentedSort::SortPairsDescending(nullptr, scratch_bytes_, static_cast<const __nv_bfloat16*>(nullptr),
                                                      static_cast<__nv_bfloat16*>(nullptr), static_cast<const int*>(nullptr),
                                                      static_cast<int*>(nullptr), rows * vocabulary, rows, starts, starts + 1));
}

void SortSampler::run(const __nv_bfloat16* logits, const int* unsorted_ids, __nv_bfloat16* sorted, int* sorted_ids, void* scratch,
                      const float* draws, int* chosen, cudaStream_t stream) const {
  const auto starts = row_starts(vocabulary_);
  std::size_t bytes = scratch_bytes_;
  check(cub::DeviceSegmentedSort::SortPairsDescending(scratch, bytes, logits, sorted, unsorted_ids, sorted_ids, rows_ * vocabulary_,
                                                      rows_, starts, starts + 1, stream));
  draw_from_top<<<rows_, 32, 0, stream>>>(sorted, sorted_ids, draws, chosen, vocabulary_);
  check_launch();
}

}  // namespace rackwright::kernels
