#include <algorithm>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/attention_reference.h"

namespace rackwright::kernels {
namespace {

constexpr int threads = 128;

__device__ std::size_t row_of(const AttentionSample& s, const AttentionDims& d, int key) {
  if (!s.page_table) return key;
  return static_cast<std::size_t>(s.page_table[key / d.page_tokens]) * d.page_tokens + key % d.page_tokens;
}

/// score[sample][key], one thread a key.
__global__ void all_scores(const AttentionSample* samples, AttentionDims d, float* scores, int keys_max) {
  const AttentionSample s = samples[blockIdx.y];
  const int key = blockIdx.x * threads + threadIdx.x;
  if (key >= s.keys) return;
  const __nv_bfloat16* k = s.k + row_of(s, d, key) * d.row_stride;
  float sum = 0;
  for (int i = 0; i < d.key_dim; ++i) sum += static_cast<float>(s.q[i]) * static_cast<float>(k[i]);
  scores[static_cast<std::size_t>(blockIdx.y) * keys_max + key] = sum * d.scale;
}

/// Softmax over the keys and the weighted sum of values, one block a sample, one thread a value element.
__global__ void weighted_values(const AttentionSample* samples, AttentionDims d, const float* scores, int keys_max,
                                float* actual, float* expected) {
  const AttentionSample s = samples[blockIdx.x];
  const float* score = scores + static_cast<std::size_t>(blockIdx.x) * keys_max;
  __shared__ float tops[threads];
  float top = -INFINITY;
  for (int key = threadIdx.x; key < s.keys; key += threads) top = fmaxf(top, score[key]);
  tops[threadIdx.x] = top;
  __syncthreads();
  for (int i = 0; i < threads; ++i) top = fmaxf(top, tops[i]);
  for (int element = threadIdx.x; element < d.value_dim; element += threads) {
    float sum = 0, value = 0;
    for (int key = 0; key < s.keys; ++key) {
      const float weight = __expf(score[key] - top);
      sum += weight;
      value += weight * static_cast<float>(s.v[row_of(s, d, key) * d.row_stride + element]);
    }
    actual[blockIdx.x * d.value_dim + element] = static_cast<float>(s.out[element]);
    expected[blockIdx.x * d.value_dim + element] = value / sum;
  }
}

}  // namespace

double attention_error(Arena& arena, Accuracy& accuracy, const std::vector<AttentionSample>& samples, const AttentionDims& dims,
                       const __nv_bfloat16* whole, std::size_t count, cudaStream_t stream) {
  const ArenaScope scope(arena);
  int keys_max = 1;
  for (const auto& sample : samples) keys_max = std::max(keys_max, sample.keys);
  auto* on_device = arena.take<AttentionSample>(samples.size());
  auto* scores = arena.take<float>(samples.size() * keys_max);
  check(cudaMemcpyAsync(on_device, samples.data(), samples.size() * sizeof(AttentionSample), cudaMemcpyHostToDevice, stream));
  const auto blocks = static_cast<unsigned>(samples.size());
  all_scores<<<dim3((keys_max + threads - 1) / threads, blocks), threads, 0, stream>>>(on_device, dims, scores, keys_max);
  check_launch();
  weighted_values<<<blocks, threads, 0, stream>>>(on_device, dims, scores, keys_max, accuracy.actual(), accuracy.expected());
  check_launch();
  return accuracy.relative_error(static_cast<int>(samples.size()) * dims.value_dim, whole, count, stream);
}

}  // namespace rackwright::kernels
