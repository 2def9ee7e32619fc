#pragma once

#include <cstdint>

#include "models/kernels/device/arena.h"
#include "models/kernels/families/kv_pool.h"
#include "models/kernels/measure/accuracy.h"
#include "models/kernels/measure/operation.h"
#include "models/kernels/operators/mla_decode.h"
#include "models/kernels/shapes/attention_cases.h"

namespace rackwright::kernels {

/// Decode with absorbed multi-head latent attention over one pool of latent rows, all contexts alike.
class MlaOperation : public Operation {
 public:
  MlaOperation(Arena& arena, Accuracy& accuracy, const KvPool& pool, const MlaCase& shape, int sms);
  int slots() const override { return windows_.slots; }
  void refresh(std::uint64_t seed, cudaStream_t stream) override;
  void launch(int slot, cudaStream_t stream) override;
  double error(int slot, cudaStream_t stream) override;

 private:
  MlaDecode arguments(int slot) const;

  Arena& arena_;
  Accuracy& accuracy_;
  MlaCase shape_;
  int pages_per_sequence_;
  int splits_;
  PoolWindows windows_;
  KvPool pool_;
  __nv_bfloat16* q_;
  __nv_bfloat16* out_;
  int* lengths_on_device_;
  int* tables_;
  float* partial_;
  float2* partial_scale_;
};

}  // namespace rackwright::kernels
