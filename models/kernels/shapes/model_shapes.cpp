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

std::vector<Shard> sparsely_profiled_shards() {
  const ModelShape models[] = {
      {"llama-2-7b", 4096, 32, 32, 128, 11008, 32000},    {"qwen2.5-72b", 8192, 64, 8, 128, 29568, 152064},
      {"qwen2.5-7b", 3584, 28, 4, 128, 18944, 152064},    {"qwen3-14b", 5120, 40, 8, 128, 17408, 151936},
      {"mistral-nemo", 5120, 32, 8, 128, 14336, 131072},  {"qwen3-0.6b", 1024, 16, 8, 128, 3072, 151936},
      {"mixtral-8x22b", 6144, 48, 8, 128, 0, 32768},      {"llama-4-scout", 5120, 40, 8, 128, 8192, 202048},
      {"gpt-oss-120b", 2880, 64, 8, 64, 0, 201088},       {"qwen3-32b", 5120, 64, 8, 128, 25600, 151936},
      {"qwen3-8b", 4096, 32, 8, 128, 12288, 151936},      {"qwen3-235b-a22b", 4096, 64, 4, 128, 0, 151936},
  };
  std::vector<Shard> shards;
  for (const auto& model : models)
    for (int tp : {1, 2, 4, 8})
      if (model.q_heads % tp == 0) shards.push_back({model, tp});
  for (int tp : {1, 2}) shards.push_back({llama_405b(), tp});
  return shards;
}

std::vector<WeightShape> further_weights() {
  return {
      {2112, 7168},   // DeepSeek-V3: joint query and KV down-projection (1536 + 512 + 64)
      {24576, 1536},  // … its query up-projection, 128 heads of 192
      {12288, 1536},  // Kimi K2: the same with 64 heads
      {3072, 1536},   // DeepSeek-V3 over 8 devices
      {7168, 16384},  // DeepSeek-V3: output projection
      {7168, 8192},   // Kimi K2: output projection
      {7168, 2048},   // DeepSeek-V3 over 8 devices; also the down product of one expert
      {36864, 7168},  // DeepSeek-V3: joint gate-up product of its dense layers
      {7168, 18432},  // … and their down product
      {4096, 7168},   // … joint gate-up product of the shared expert
      {256, 7168},    // … its router
      {384, 7168},    // Kimi K2: router
      {128, 4096},    // Qwen3-235B-A22B: router
      {128, 2048},    // Qwen3-30B-A3B: router
      {3072, 2048},   // DeepSeek-V2-Lite: queries, 16 heads of 192
      {576, 2048},    // … KV down-projection
      {5632, 2048},   // … joint gate-up product of its shared experts
      {2048, 2816},   // … and their down product
  };
}

}  // namespace rackwright::kernels
