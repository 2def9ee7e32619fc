#pragma once

#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/families/kv_pool.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/operators/decode_attention.h"
#include "models/kernels/shapes/attention_cases.h"

namespace rackwright::kernels {

/// Paged decode attention: keys in the first half of the pool, values in the second.
class DecodeOperation : public Operation {
 public:
  /// `seed` draws uneven lengths.
  DecodeOperation(Arena& arena, Accuracy& accuracy, const KvPool& pool, const DecodeCase& shape, std::uint64_t seed);
  int slots() const override { return windows_.slots; }
  void refresh(std::uint64_t seed, cudaStream_t stream) override;
  void launch(int slot, cudaStream_t stream) override;
  double error(int slot, cudaStream_t stream) override;
  int longest() const { return longest_; }

 private:
  DecodeAttention arguments(int slot) const;

  Arena& arena_;
  Accuracy& accuracy_;
  DecodeCase shape_;
  std::vector<int> lengths_;
  int longest_;
  int pages_per_sequence_;
  PoolWindows windows_;
  KvPool pool_;
  __nv_bfloat16* q_;
  __nv_bfloat16* out_;
  int* lengths_on_device_;
  int* first_pages_;
  int* tables_;
  float* partial_;
  float2* partial_scale_;
};

}  // namespace rackwright::kernels
