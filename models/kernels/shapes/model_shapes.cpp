#include "models/kernels/shapes/model_shapes.h"

namespace rackwright::kernels {

ModelShape llama_8b() { return {"llama-3.1-8b", 4096, 32, 8, 128, 14336, 128256}; }
ModelShape llama_70b() { return {"llama-3.1-70b", 8192, 64, 8, 128, 28672, 128256}; }
ModelShape llama_405b() { return {"llama-3.1-405b", 16384, 128, 8, 128, 53248, 128256}; }

std::vector<Shard> profiled_shards() {
  const ModelShape qwen3_32b{"qwen3-32b", 5120, 64, 8, 128, 25600, 151936};
  const ModelShape qwen3_8b{"qwen3-8b", 4096, 32, 8, 128, 12288, 151936};
  const ModelShape qwen3_30b_a3b{"qwen3-30b-a3b", 2048, 32, 4, 128, 0, 151936};
  const ModelShape qwen3_235b_a22b{"qwen3-235b-a22b", 4096, 64, 4, 128, 0, 151936};
  std::vector<Shard> shards;
  for (int tp : {1, 2, 4, 8}) shards.push_back({llama_8b(), tp});
  for (int tp : {1, 2, 4, 8}) shards.push_back({llama_70b(), tp});
  for (int tp : {4, 8}) shards.push_back({llama_405b(), tp});
  for (int tp : {1, 2, 4}) shards.push_back({qwen3_32b, tp});
  shards.push_back({qwen3_8b, 1});
  for (int tp : {1, 2}) shards.push_back({qwen3_30b_a3b, tp});
  for (int tp : {4, 8}) shards.push_back({qwen3_235b_a22b, tp});
  return shards;
}

std::vector<WeightShape> further_weights() {
  return {
      {2112, 7168},   // DeepSeek-V3: joint query and KV down-projection (1536 + 512 + 64)
      {24576, 1536},  // … its query up-projection, 128 heads of 192
      {3072, 1536},   // … over 8 devices
      {7168, 16384},  // … its output projection
      {7168, 2048},   // … over 8 devices; also the down product of one expert
      {4096, 7168},   // … the joint gate-up product of the shared expert
      {256, 7168},    // … its router
      {128, 4096},    // Qwen3-235B-A22B: router
  };
}

}  // namespace rackwright::kernels
