#include "models/kernels/families/decode_operation.h"

#include <algorithm>
#include <cmath>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/attention_reference.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr int head_dim = 128;

std::size_t page_elements(const DecodeCase& shape) { return static_cast<std::size_t>(page_tokens) * shape.heads.kv_heads * head_dim; }

int pages_for(int tokens) { return (tokens + page_tokens - 1) / page_tokens; }

std::size_t q_elements(const DecodeCase& shape) { return static_cast<std::size_t>(shape.batch) * shape.heads.q_heads * head_dim; }

std::size_t total_pages(const std::vector<int>& lengths) {
  std::size_t pages = 0;
  for (int length : lengths) pages += pages_for(length);
  return pages;
}

}  // namespace

// Every sequence's table has room for the longest; only the pages of its own length are read and counted.
DecodeOperation::DecodeOperation(Arena& arena, Accuracy& accuracy, const KvPool& pool, const DecodeCase& shape, std::uint64_t seed)
    : arena_(arena),
      accuracy_(accuracy),
      shape_(shape),
      lengths_(shape.contexts(seed)),
      longest_(*std::max_element(lengths_.begin(), lengths_.end())),
      pages_per_sequence_(pages_for(longest_)),
      windows_(total_pages(lengths_), pool.count / 2 / page_elements(shape), 4 * page_elements(shape)),
      pool_(pool) {
  q_ = arena.take<__nv_bfloat16>(q_elements(shape));
  out_ = arena.take<__nv_bfloat16>(q_elements(shape));
  lengths_on_device_ = arena.take<int>(shape.batch);
  tables_ = arena.take<int>(static_cast<std::size_t>(windows_.slots) * shape.batch * pages_per_sequence_);
  const int partitions = (longest_ + partition_tokens - 1) / partition_tokens;
  const std::size_t partial = decode_partial_elements(shape.batch, shape.heads.q_heads, partitions);
  partial_ = arena.take<float>(partial);
  partial_scale_ = arena.take<float2>(partial / head_dim);
  first_pages_ = arena.take<int>(shape.batch);
  std::vector<int> first_pages(shape.batch, 0);
  for (int i = 1; i < shape.batch; ++i) first_pages[i] = first_pages[i - 1] + pages_for(lengths_[i - 1]);
  check(cudaMemcpy(first_pages_, first_pages.data(), first_pages.size() * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(lengths_on_device_, lengths_.data(), lengths_.size() * sizeof(int), cudaMemcpyHostToDevice));
}

void DecodeOperation::refresh(std::uint64_t seed, cudaStream_t stream) {
  const std::size_t table = static_cast<std::size_t>(shape_.batch) * pages_per_sequence_;
  for (int slot = 0; slot < windows_.slots; ++slot)
    fill_page_tables(tables_ + slot * table, shape_.batch, pages_per_sequence_, first_pages_, static_cast<int>(windows_.window), seed * 64 + slot, stream);
  fill_normal(q_, q_elements(shape_), 1, seed * 64 + 63, stream);
  poison(out_, q_elements(shape_), stream);
}

DecodeAttention DecodeOperation::arguments(int slot) const {
  DecodeAttention a;
  a.q = q_;
  a.k_pages = pool_.elements + windows_.start(slot) * page_elements(shape_);
  a.v_pages = a.k_pages + pool_.count / 2;
  a.page_table = tables_ + static_cast<std::size_t>(slot) * shape_.batch * pages_per_sequence_;
  a.lengths = lengths_on_device_;
  a.out = out_;
  a.partial = partial_;
  a.partial_scale = partial_scale_;
  a.q_stride = shape_.heads.q_heads * head_dim;
  a.pages_per_sequence = pages_per_sequence_;
  a.batch = shape_.batch;
  a.q_heads = shape_.heads.q_heads;
  a.kv_heads = shape_.heads.kv_heads;
  a.partitions = (longest_ + partition_tokens - 1) / partition_tokens;
  return a;
}

void DecodeOperation::launch(int slot, cudaStream_t stream) { decode_attention(arguments(slot), stream); }

double DecodeOperation::error(int slot, cudaStream_t stream) {
  const DecodeAttention a = arguments(slot);
  std::vector<AttentionSample> samples;
  constexpr int count = 16;
  for (int i = 0; i < count; ++i) {
    const int sequence = i == 0 ? shape_.batch - 1 : static_cast<int>(static_cast<long>(shape_.batch) * i / count);
    const int head = i * 5 % a.q_heads;
    const std::size_t q_at = (static_cast<std::size_t>(sequence) * a.q_heads + head) * head_dim;
    const std::size_t kv_at = static_cast<std::size_t>(head / (a.q_heads / a.kv_heads)) * head_dim;
    samples.push_back({a.q + q_at, a.out + q_at, a.k_pages + kv_at, a.v_pages + kv_at,
                       a.page_table + static_cast<std::size_t>(sequence) * pages_per_sequence_, lengths_[sequence]});
  }
  AttentionDims dims;
  dims.row_stride = a.kv_heads * head_dim;
  dims.page_tokens = page_tokens;
  dims.scale = 1 / std::sqrt(static_cast<float>(head_dim));
  return attention_error(arena_, accuracy_, samples, dims, out_, q_elements(shape_), stream);
}

}  // namespace rackwright::kernels
