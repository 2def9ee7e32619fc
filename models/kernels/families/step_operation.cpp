#include "models/kernels/families/step_operation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/layer_kernels.h"
#include "models/kernels/operators/sampling.h"

namespace rackwright::kernels {
namespace {

int partitions_of(const StepCase& shape) { return (std::max(shape.context, 1) + partition_tokens - 1) / partition_tokens; }

}  // namespace

StepOperation::~StepOperation() = default;

StepOperation::StepOperation(Arena& arena, const BlasLt& blas, Accuracy& accuracy, const StepCase& shape, std::uint64_t seed, cudaStream_t stream,
                             AllReduce all_reduce)
    : accuracy_(accuracy),
      shape_(shape),
      all_reduce_(std::move(all_reduce)),
      products_(blas, shape.shard, shape.tokens()),
      lm_head_(blas, step_product(shape.logit_rows(), shape.shard.lm_head())),
      weights_(arena, shape.shard, shape.layers, seed * 4096, stream),
      activations_(arena, shape.shard, shape.tokens()),
      pages_per_sequence_((std::max(shape.context, 1) + page_tokens - 1) / page_tokens) {
  const Shard& s = shape.shard;
  const int head_dim = s.model.head_dim, tokens = shape.tokens();
  // The prompt's keys lie contiguously before the pages of the decoding sequences.
  const int prompt_pages = (shape.prefill + shape.past + page_tokens - 1) / page_tokens;
  pool_pages_ = std::max(prompt_pages + shape.decode * pages_per_sequence_, 1);
  const std::size_t pool = static_cast<std::size_t>(pool_pages_) * page_tokens * s.kv_heads() * head_dim;
  std::uint64_t next = seed * 4096 + 2048;  // After those of the weights.
  for (int i = 0; i < shape.layers; ++i) {
    const Cache cache{arena.take<__nv_bfloat16>(pool), arena.take<__nv_bfloat16>(pool)};
    fill_normal(cache.keys, pool, 1, ++next, stream);
    fill_normal(cache.values, pool, 1, ++next, stream);
    caches_.push_back(cache);
  }
  logits_ = arena.take<__nv_bfloat16>(static_cast<std::size_t>(shape.logit_rows()) * s.lm_head().n);
  for (int** ints : {&ids_, &positions_, &kv_slots_}) *ints = arena.take<int>(tokens);
  page_table_ = arena.take<int>(static_cast<std::size_t>(std::max(shape.decode, 1)) * pages_per_sequence_);
  lengths_ = arena.take<int>(std::max(shape.decode, 1));
  chosen_ = arena.take<int>(shape.logit_rows());
  best_ = arena.take<unsigned long long>(shape.logit_rows());
  const std::size_t partial = decode_partial_elements(std::max(shape.decode, 1), s.q_heads(), partitions_of(shape));
  partial_ = arena.take<float>(partial);
  partial_scale_ = arena.take<float2>(partial / head_dim);

  std::vector<int> lengths(std::max(shape.decode, 1), shape.context), pages, slots(tokens);
  for (int page = 0; page < std::max(shape.decode, 1) * pages_per_sequence_; ++page) pages.push_back(page);
  // Neighbouring pages of a sequence lie apart: 7919 is prime and larger than what the strides share.
  std::vector<int> scattered(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) scattered[i] = prompt_pages + static_cast<int>(i * 7919 % pages.size());
  if (pages.size() % 7919 == 0)
    for (std::size_t i = 0; i < pages.size(); ++i) scattered[i] = prompt_pages + pages[i];
  for (int i = 0; i < shape.decode; ++i)
    slots[i] = scattered[static_cast<std::size_t>(i) * pages_per_sequence_ + (shape.context - 1) / page_tokens] * page_tokens + (shape.context - 1) % page_tokens;
  for (int i = 0; i < shape.prefill; ++i) slots[shape.decode + i] = shape.past + i;
  check(cudaMemcpyAsync(lengths_, lengths.data(), lengths.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  check(cudaMemcpyAsync(page_table_, scattered.data(), scattered.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  check(cudaMemcpyAsync(kv_slots_, slots.data(), slots.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  check(cudaStreamSynchronize(stream));
}

void StepOperation::refresh(std::uint64_t seed, cudaStream_t stream) {
  fill_uniform(ids_, shape_.tokens(), shape_.shard.model.vocabulary, seed * 4, stream);
  fill_uniform(positions_, shape_.tokens(), 8192, seed * 4 + 1, stream);
  poison(logits_, static_cast<std::size_t>(shape_.logit_rows()) * shape_.shard.lm_head().n, stream);
}

void StepOperation::launch_attention(const Cache& cache, cudaStream_t stream) {
  const Shard& s = shape_.shard;
  const int q_width = s.q_heads() * s.model.head_dim;
  const std::size_t first_prompt_row = static_cast<std::size_t>(shape_.decode) * q_width;
  if (shape_.prefill > 0) {
    PrefillAttention a;
    a.q = activations_.q + first_prompt_row;
    a.k = cache.keys;
    a.v = cache.values;
    a.out = activations_.attended + first_prompt_row;
    a.q_stride = q_width;
    a.new_tokens = shape_.prefill;
    a.past_tokens = shape_.past;
    a.q_heads = s.q_heads();
    a.kv_heads = s.kv_heads();
    prefill_attention(a, stream);
  }
  if (shape_.decode > 0) {
    DecodeAttention a;
    a.q = activations_.q;
    a.k_pages = cache.keys;
    a.v_pages = cache.values;
    a.page_table = page_table_;
    a.lengths = lengths_;
    a.out = activations_.attended;
    a.partial = partial_;
    a.partial_scale = partial_scale_;
    a.q_stride = q_width;
    a.pages_per_sequence = pages_per_sequence_;
    a.batch = shape_.decode;
    a.q_heads = s.q_heads();
    a.kv_heads = s.kv_heads();
    a.partitions = partitions_of(shape_);
    decode_attention(a, stream);
  }
}

void StepOperation::sum_over_ranks(cudaStream_t stream) {
  if (all_reduce_) all_reduce_(activations_.projected, static_cast<std::size_t>(shape_.tokens()) * shape_.shard.model.hidden, stream);
}

void StepOperation::launch(int, cudaStream_t stream) {
  const Shard& s = shape_.shard;
  const int tokens = shape_.tokens(), hidden = s.model.hidden;
  embedding(weights_.table, ids_, activations_.residual, tokens, hidden, stream);
  for (std::size_t i = 0; i < caches_.size(); ++i)
    launch_layer(s, weights_, i, activations_, products_, {caches_[i].keys, caches_[i].values, positions_, kv_slots_},
                 {[&] { launch_attention(caches_[i], stream); }, [&] { sum_over_ranks(stream); }}, stream);
  residual_rmsnorm(activations_.projected, activations_.residual, weights_.final_norm, activations_.x, tokens, hidden, stream);
  lm_head_.run(activations_.x, weights_.head, logits_, stream);
  argmax(logits_, best_, chosen_, shape_.logit_rows(), s.lm_head().n, stream);
}

double StepOperation::error(int, cudaStream_t stream) {
  const std::size_t count = static_cast<std::size_t>(shape_.logit_rows()) * shape_.shard.lm_head().n;
  return accuracy_.has_nan(logits_, count, stream) ? std::numeric_limits<double>::quiet_NaN() : 0;
}

}  // namespace rackwright::kernels
