#include "models/kernels/shapes/step_cases.h"

namespace rackwright::kernels {
namespace {

constexpr int layers_8b = 32;
constexpr int layers_of_70b = 10;

StepCase step_8b(int decode, int context, int prefill, int past) { return {{llama_8b(), 1}, layers_8b, decode, context, prefill, past}; }
constexpr int all_layers_of_70b = 80;
StepCase pair_70b(int decode, int context, int prefill) { return {{llama_70b(), 2}, all_layers_of_70b, decode, context, prefill, 0}; }
StepCase step_70b(int decode, int context, int prefill, int past) { return {{llama_70b(), 2}, layers_of_70b, decode, context, prefill, past}; }

double layer_parameters(const Shard& s) {
  double sum = 0;
  for (const auto& w : {s.qkv(), s.attention_out(), s.gate_up(), s.down()}) sum += static_cast<double>(w.n) * w.k;
  return sum;
}

}  // namespace

std::string StepCase::model_name() const {
  return shard.tensor_parallel == 1 ? shard.model.name : shard.model.name + "-tp" + std::to_string(shard.tensor_parallel);
}

double StepCase::flops() const {
  const double keys = static_cast<double>(decode) * context + static_cast<double>(prefill) * past + 0.5 * prefill * (prefill + 1.0);
  const double attention = 4.0 * shard.q_heads() * shard.model.head_dim * keys;
  const auto head = shard.lm_head();
  return layers * (2 * tokens() * layer_parameters(shard) + attention) + 2.0 * logit_rows() * head.n * head.k;
}

double StepCase::bytes() const {
  const double kv_row = 4.0 * shard.kv_heads() * shard.model.head_dim;
  const double kv_rows = static_cast<double>(decode) * context + past + 2.0 * prefill;
  const auto head = shard.lm_head();
  return layers * (2 * layer_parameters(shard) + kv_row * kv_rows) + 2.0 * head.n * head.k;
}

std::vector<StepCase> step_grid() {
  std::vector<StepCase> cases;
  for (int decode : {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80}) cases.push_back(step_8b(decode, 1024, 0, 0));
  for (int decode : {1, 16, 48, 80})
    for (int context : {256, 2048, 4096}) cases.push_back(step_8b(decode, context, 0, 0));
  for (int prefill : {64, 128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1792, 2048}) cases.push_back(step_8b(0, 0, prefill, 0));
  for (int past : {2048, 6144}) cases.push_back(step_8b(0, 0, 1024, past));
  for (int decode : {8, 32, 64, 80})
    for (int prefill : {128, 512, 1280, 2048}) cases.push_back(step_8b(decode, 1024, prefill, 0));
  for (int decode : {1, 8, 32, 64, 80}) cases.push_back(step_70b(decode, 1024, 0, 0));
  for (int prefill : {256, 1024, 2048}) cases.push_back(step_70b(0, 0, prefill, 0));
  cases.push_back(step_70b(32, 1024, 1024, 0));
  return cases;
}

std::vector<StepCase> step_power_cases() {
  std::vector<StepCase> cases;
  for (int decode : {1, 2, 4, 8, 16, 24, 32, 48, 64, 80}) cases.push_back(step_8b(decode, 1024, 0, 0));
  for (int decode : {1, 8, 32, 80}) cases.push_back(step_8b(decode, 4096, 0, 0));
  for (int prefill : {64, 128, 256, 384, 512, 768, 1024, 2048}) cases.push_back(step_8b(0, 0, prefill, 0));
  for (int decode : {8, 48, 80})
    for (int prefill : {256, 1024, 2048}) cases.push_back(step_8b(decode, 1024, prefill, 0));
  for (int decode : {1, 8, 64}) cases.push_back(step_70b(decode, 1024, 0, 0));
  for (int prefill : {256, 1024, 2048}) cases.push_back(step_70b(0, 0, prefill, 0));
  return cases;
}

std::vector<StepCase> pair_step_grid() {
  std::vector<StepCase> cases;
  for (int decode : {1, 4, 8, 16, 32, 48, 64, 80}) cases.push_back(pair_70b(decode, 1024, 0));
  cases.push_back(pair_70b(32, 4096, 0));
  for (int prefill : {64, 256, 512, 1024, 2048}) cases.push_back(pair_70b(0, 0, prefill));
  for (int prefill : {256, 1024, 2048}) cases.push_back(pair_70b(32, 1024, prefill));
  return cases;
}

std::vector<StepCase> pair_power_cases() {
  return {pair_70b(1, 1024, 0),   pair_70b(16, 1024, 0),   pair_70b(48, 1024, 0),  pair_70b(80, 1024, 0),
          pair_70b(0, 0, 256), pair_70b(0, 0, 2048), pair_70b(32, 1024, 1024)};
}

}  // namespace rackwright::kernels
