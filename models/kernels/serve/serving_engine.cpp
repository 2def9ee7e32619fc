#include "models/kernels/serve/serving_engine.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "models/kernels/device/check.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/layer_kernels.h"
#include "models/kernels/operators/prefill_attention.h"
#include "models/kernels/operators/sampling.h"

namespace rackwright::kernels {
namespace {

constexpr int most_rows = most_sequences + most_step_tokens;
constexpr int most_logit_rows = most_sequences + most_chunks;

}  // namespace

ServingEngine::ServingEngine(ProfileSession& session, std::uint64_t seed, std::span<const cudaEvent_t> layer_written)
    : session_(session),
      stream_(session.bench.stream()),
      layer_written_(layer_written.begin(), layer_written.end()),
      shard_{llama_8b(), 1},
      weights_(session.arena, shard_, layers, seed * 4096, stream_),
      activations_(session.arena, shard_, most_rows) {
  Arena& arena = session.arena;
  const std::size_t pool = static_cast<std::size_t>(most_sequences + 1) * most_sequence_tokens * shard_.kv_heads() * shard_.model.head_dim;
  for (std::uint64_t i = 0; i < layers; ++i) {
    const LayerCache cache{arena.take<__nv_bfloat16>(pool), arena.take<__nv_bfloat16>(pool)};
    fill_normal(cache.keys, pool, 1, seed * 4096 + 2048 + 2 * i, stream_);
    fill_normal(cache.values, pool, 1, seed * 4096 + 2049 + 2 * i, stream_);
    caches_.push_back(cache);
  }
  head_rows_ = arena.take<__nv_bfloat16>(static_cast<std::size_t>(most_logit_rows) * shard_.model.hidden);
  logits_ = arena.take<__nv_bfloat16>(static_cast<std::size_t>(most_logit_rows) * shard_.lm_head().n);
  for (int** of_rows : {&rows_.ids, &rows_.positions, &rows_.kv_slots}) *of_rows = arena.take<int>(most_rows);
  rows_.lengths = arena.take<int>(most_sequences);
  rows_.page_table = arena.take<int>(static_cast<std::size_t>(most_sequences) * StepRows::pages_per_sequence);
  rows_.logit_rows = arena.take<int>(most_logit_rows);
  rows_.part_count = arena.take<int>(1);
  rows_.parts = arena.take<int2>(static_cast<std::size_t>(most_sequences) * StepRows::parts_per_sequence);
  rows_.newest = arena.take<int>(most_sequences + 1);
  chosen_ = arena.take<int>(most_logit_rows);
  best_ = arena.take<unsigned long long>(most_logit_rows);
  const std::size_t partial = decode_partial_elements(most_sequences, shard_.q_heads(), StepRows::parts_per_sequence);
  partial_ = arena.take<float>(partial);
  partial_scale_ = arena.take<float2>(partial / shard_.model.head_dim);
  device_input_ = arena.take<StepInput>(1);
  device_result_ = arena.take<StepResult>(1);
  check(cudaMallocHost(reinterpret_cast<void**>(&input_), sizeof *input_));
  check(cudaMallocHost(reinterpret_cast<void**>(&result_), sizeof *result_));
  *input_ = {};
  fill_uniform(rows_.newest, most_sequences + 1, shard_.model.vocabulary, seed, stream_);
  fill_states(seed);
  for (const StepBucket bucket : serving_buckets()) {
    const Products products = products_for(bucket);
    launch(bucket, products);  // Loads what a capture must not load.
    wait();
    graphs_.push_back({bucket, std::make_unique<Graph>(stream_, [&] { launch(bucket, products); })});
  }
}

ServingEngine::~ServingEngine() {
  graphs_.clear();
  cudaFreeHost(result_);
  cudaFreeHost(input_);
}

ServingEngine::Products ServingEngine::products_for(StepBucket bucket) {
  const auto layers_of = [&](int rows) {
    return &layer_products_.try_emplace(rows, session_.blas_lt, shard_, rows).first->second;
  };
  const auto head_of = [&](int rows) {
    return &head_products_.try_emplace(rows, session_.blas_lt, step_product(rows, shard_.lm_head())).first->second;
  };
  return {layers_of(bucket.rows()), head_of(logit_rows(bucket))};
}

void ServingEngine::launch_attention(StepBucket bucket, const LayerCache& cache) {
  const int q_width = shard_.q_heads() * shard_.model.head_dim;
  if (bucket.prompt_tokens > 0) {
    const PromptBatch prompts{activations_.q, cache.keys, cache.values, activations_.attended, q_width, shard_.q_heads(), shard_.kv_heads()};
    prefill_attention(prompts, {&device_input_->tiles, device_input_->tile, tiles_of(bucket)}, stream_);
  }
  if (bucket.decodes > 0) {
    const DecodeAttention decodes{activations_.q, cache.keys, cache.values, rows_.page_table, rows_.lengths, activations_.attended,
                                  partial_, partial_scale_, q_width, StepRows::pages_per_sequence, bucket.decodes,
                                  shard_.q_heads(), shard_.kv_heads(), StepRows::parts_per_sequence};
    decode_attention(decodes, {rows_.part_count, rows_.parts}, session_.facts.sms, stream_);
  }
}

void ServingEngine::record_written(StepBucket bucket, std::size_t layer) {
  if (layer_written_.empty() || bucket.decodes > 0) return;
  cudaStreamCaptureStatus capture{};
  check(cudaStreamIsCapturing(stream_, &capture));
  // In a graph the event is for streams outside of it.
  check(cudaEventRecordWithFlags(layer_written_[layer], stream_, capture == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault));
}

void ServingEngine::launch(StepBucket bucket, const Products& products) {
  const int rows = bucket.rows(), hidden = shard_.model.hidden, logits = logit_rows(bucket);
  check(cudaMemcpyAsync(device_input_, input_, sizeof *input_, cudaMemcpyHostToDevice, stream_));
  prepare_step(device_input_, rows_, bucket, shard_.model.vocabulary, device_result_, stream_);
  embedding(weights_.table, rows_.ids, activations_.residual, rows, hidden, stream_);
  for (std::size_t i = 0; i < caches_.size(); ++i)
    launch_layer(shard_, weights_, i, activations_, *products.layers, {caches_[i].keys, caches_[i].values, rows_.positions, rows_.kv_slots},
                 {[&] {
                    record_written(bucket, i);
                    launch_attention(bucket, caches_[i]);
                  },
                  {}},
                 stream_);
  residual_rmsnorm(activations_.projected, activations_.residual, weights_.final_norm, activations_.x, rows, hidden, stream_);
  embedding(activations_.x, rows_.logit_rows, head_rows_, logits, hidden, stream_);
  products.head->run(head_rows_, weights_.head, logits_, stream_);
  argmax(logits_, best_, chosen_, logits, shard_.lm_head().n, stream_);
  finish_step(device_input_, rows_, bucket, chosen_, device_result_, stream_);
  check(cudaMemcpyAsync(result_, device_result_, sizeof *result_, cudaMemcpyDeviceToHost, stream_));
}

void ServingEngine::wait() { check(cudaStreamSynchronize(stream_)); }

void ServingEngine::start(const StepPlan& plan) {
  const StepBucket bucket = bucket_of(static_cast<int>(plan.decodes.size()), plan.prompt_tokens());
  *input_ = step_input(plan, bucket);
  const auto captured = std::ranges::find(graphs_, bucket, &Captured::bucket);
  invariant(captured != graphs_.end(), "every bucket has a graph");
  captured->graph->launch(stream_);
}

const StepResult& ServingEngine::finish() {
  wait();
  return *result_;
}

const StepResult& ServingEngine::run(const StepPlan& plan) {
  start(plan);
  return finish();
}

const StepResult& ServingEngine::run_unpadded(const StepPlan& plan) {
  const StepBucket exact{static_cast<int>(plan.decodes.size()), plan.prompt_tokens()};
  *input_ = step_input(plan, exact);
  launch(exact, products_for(exact));
  wait();
  return *result_;
}

}  // namespace rackwright::kernels
