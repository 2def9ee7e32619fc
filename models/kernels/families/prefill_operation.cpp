#include "models/kernels/families/prefill_operation.h"

#include <cmath>

#include "models/kernels/families/cold_slots.h"
#include "models/kernels/measure/attention_reference.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/cudnn_attention.h"

namespace rackwright::kernels {

PrefillOperation::PrefillOperation(Arena& arena, Accuracy& accuracy, const PrefillCase& shape, const CudnnAttention* cudnn)
    : arena_(arena), accuracy_(accuracy), shape_(shape), cudnn_(cudnn) {
  const HeadShape& heads = shape.heads;
  q_elements_ = static_cast<std::size_t>(shape.sequences) * shape.new_tokens * heads.q_heads * heads.head_dim;
  kv_elements_ = static_cast<std::size_t>(shape.kv_tokens()) * heads.kv_heads * heads.head_dim;
  q_ = arena.take<__nv_bfloat16>(q_elements_);
  out_ = arena.take<__nv_bfloat16>(q_elements_);
  const int slots = shape.past_tokens == 0 ? 1 : cold_slots(4 * kv_elements_);
  for (int i = 0; i < slots; ++i) {
    keys_.push_back(arena.take<__nv_bfloat16>(kv_elements_));
    values_.push_back(arena.take<__nv_bfloat16>(kv_elements_));
  }
}

void PrefillOperation::refresh(std::uint64_t seed, cudaStream_t stream) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    fill_normal(keys_[i], kv_elements_, 1, seed * 256 + 2 * i, stream);
    fill_normal(values_[i], kv_elements_, 1, seed * 256 + 2 * i + 1, stream);
  }
  fill_normal(q_, q_elements_, 1, seed * 256 + 255, stream);
  poison(out_, q_elements_, stream);
}

PrefillAttention PrefillOperation::arguments(int slot) const {
  PrefillAttention a;
  a.q = q_;
  a.k = keys_[slot];
  a.v = values_[slot];
  a.out = out_;
  a.q_stride = shape_.heads.q_heads * shape_.heads.head_dim;
  a.sequences = shape_.sequences;
  a.new_tokens = shape_.new_tokens;
  a.past_tokens = shape_.past_tokens;
  a.q_heads = shape_.heads.q_heads;
  a.kv_heads = shape_.heads.kv_heads;
  return a;
}

void PrefillOperation::launch(int slot, cudaStream_t stream) {
  if (cudnn_) cudnn_->run(arguments(slot), stream);
  else prefill_attention(arguments(slot), stream);
}

double PrefillOperation::error(int slot, cudaStream_t stream) {
  const PrefillAttention a = arguments(slot);
  constexpr int head_dim = 128;
  const int kv_tokens = a.past_tokens + a.new_tokens;
  std::vector<AttentionSample> samples;
  constexpr int count = 32;
  for (int i = 0; i < count; ++i) {
    // The first and the last query of the first and the last prompt, then spread out.
    const int sequence = i % 2 == 0 ? 0 : a.sequences - 1;
    const int query = i < 2 ? 0 : i < 4 ? a.new_tokens - 1 : static_cast<int>(static_cast<long>(a.new_tokens) * i / count);
    const int head = i * 7 % a.q_heads;
    const std::size_t q_at = ((static_cast<std::size_t>(sequence) * a.new_tokens + query) * a.q_heads + head) * head_dim;
    const std::size_t kv_at = (static_cast<std::size_t>(sequence) * kv_tokens * a.kv_heads + head / (a.q_heads / a.kv_heads)) * head_dim;
    samples.push_back({a.q + q_at, a.out + q_at, a.k + kv_at, a.v + kv_at, nullptr, a.past_tokens + query + 1});
  }
  AttentionDims dims;
  dims.row_stride = a.kv_heads * head_dim;
  dims.scale = 1 / std::sqrt(static_cast<float>(head_dim));
  return attention_error(arena_, accuracy_, samples, dims, out_, q_elements_, stream);
}

}  // namespace rackwright::kernels
