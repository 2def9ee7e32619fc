// What the check of a serving engine looks at and sets.
#include <algorithm>
#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/attention_reference.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/serve/serving_engine.h"

namespace rackwright::kernels {

void ServingEngine::for_each_state(const std::function<void(__nv_bfloat16*, std::size_t)>& visit) {
  const int hidden = shard_.model.hidden, heads = shard_.q_heads() * shard_.model.head_dim;
  const auto rows = [](int count, int width) { return static_cast<std::size_t>(count) * width; };
  const int all = most_sequences + most_step_tokens;
  const StepActivations& a = activations_;
  for (__nv_bfloat16* state : {a.residual, a.x, a.projected}) visit(state, rows(all, hidden));
  for (__nv_bfloat16* state : {a.q, a.attended}) visit(state, rows(all, heads));
  visit(a.joint, rows(all, shard_.qkv_width()));
  visit(a.gates, rows(all, 2 * shard_.ffn()));
  visit(a.activated, rows(all, shard_.ffn()));
  visit(head_rows_, rows(most_sequences + most_chunks, hidden));
  visit(logits_, rows(most_sequences + most_chunks, shard_.lm_head().n));
}

void ServingEngine::poison_states() {
  for_each_state([&](__nv_bfloat16* state, std::size_t count) { poison(state, count, stream_); });
}

void ServingEngine::fill_states(std::uint64_t seed) {
  std::uint64_t next = seed * 64;
  for_each_state([&](__nv_bfloat16* state, std::size_t count) { fill_normal(state, count, 1, ++next, stream_); });
}

std::vector<int> ServingEngine::newest_tokens() {
  std::vector<int> tokens(most_sequences + 1);
  wait();
  check(cudaMemcpy(tokens.data(), rows_.newest, tokens.size() * sizeof(int), cudaMemcpyDeviceToHost));
  return tokens;
}

void ServingEngine::set_newest_tokens(const std::vector<int>& tokens) {
  wait();
  check(cudaMemcpy(rows_.newest, tokens.data(), tokens.size() * sizeof(int), cudaMemcpyHostToDevice));
}

std::vector<float> ServingEngine::logits(const StepPlan& plan, StepBucket bucket) {
  const std::size_t width = static_cast<std::size_t>(shard_.lm_head().n);
  std::vector<float> result;
  const auto append = [&](std::size_t first, std::size_t rows) {
    std::vector<__nv_bfloat16> raw(rows * width);
    check(cudaMemcpy(raw.data(), logits_ + first * width, raw.size() * sizeof raw[0], cudaMemcpyDeviceToHost));
    for (const __nv_bfloat16 value : raw) result.push_back(value);
  };
  wait();
  append(0, plan.decodes.size());
  append(static_cast<std::size_t>(bucket.decodes), plan.chunks.size());
  return result;
}

std::vector<std::vector<float>> ServingEngine::last_keys_and_values(int slot, int tokens) {
  const std::size_t width = kv_width();
  std::vector<std::vector<float>> rows(static_cast<std::size_t>(tokens));
  wait();
  for (const __nv_bfloat16* part : {caches_.back().keys, caches_.back().values}) {
    std::vector<__nv_bfloat16> raw(rows.size() * width);
    check(cudaMemcpy(raw.data(), part + static_cast<std::size_t>(slot) * most_sequence_tokens * width, raw.size() * sizeof raw[0], cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < raw.size(); ++i) rows[i / width].push_back(raw[i]);
  }
  return rows;
}

double ServingEngine::attention_error(const StepPlan& plan, StepBucket bucket) {
  const int heads = shard_.q_heads(), kv_heads = shard_.kv_heads(), head_dim = shard_.model.head_dim;
  const LayerCache& cache = caches_.back();
  std::vector<AttentionSample> samples;
  const auto add = [&](int row, int slot, int keys) {
    const int head = static_cast<int>(samples.size()) * 5 % heads;
    const std::size_t q_at = (static_cast<std::size_t>(row) * heads + head) * head_dim;
    const std::size_t kv_at = (static_cast<std::size_t>(slot) * most_sequence_tokens * kv_heads + head / (heads / kv_heads)) * head_dim;
    samples.push_back({activations_.q + q_at, activations_.attended + q_at, cache.keys + kv_at, cache.values + kv_at, nullptr, keys});
  };
  for (std::size_t i = 0; i < plan.decodes.size(); ++i) add(static_cast<int>(i), plan.decodes[i].slot, plan.decodes[i].context);
  int row = bucket.decodes;
  for (const StepPlan::Chunk& chunk : plan.chunks) {
    for (const int query : {0, chunk.tokens / 3, chunk.tokens / 2, chunk.tokens - 1}) add(row + query, chunk.slot, chunk.past + query + 1);
    row += chunk.tokens;
  }
  AttentionDims dims;
  dims.row_stride = kv_heads * head_dim;
  dims.scale = 1 / std::sqrt(static_cast<float>(head_dim));
  const std::size_t width = static_cast<std::size_t>(heads) * head_dim;
  const auto over = [&](std::size_t first, std::size_t count) {
    if (count == 0) return 0.0;
    return kernels::attention_error(session_.arena, session_.bench.accuracy(), samples, dims, activations_.attended + first * width, count * width, stream_);
  };
  // Both parts name all samples: what differs is where nothing may be unwritten.
  const double of_decodes = over(0, plan.decodes.size());
  const double of_prompts = over(static_cast<std::size_t>(bucket.decodes), static_cast<std::size_t>(plan.prompt_tokens()));
  return std::isnan(of_decodes) ? of_decodes : std::isnan(of_prompts) ? of_prompts : std::max(of_decodes, of_prompts);
}

}  // namespace rackwright::kernels
