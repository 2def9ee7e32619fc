#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/kernels/families/layer_operations.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/layer_kernels.h"

namespace rackwright::kernels {
namespace {

/// Checked on the set of chosen experts and their weights, sorted by expert.
class RouterOperation : public LayerOperation {
 public:
  RouterOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), logits_(take(elements())), weights_(arena.take<float>(entries())), chosen_(arena.take<int>(entries())) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_normal(logits_, elements(), 1, seed, stream);
    check(cudaMemsetAsync(weights_, 0xff, entries() * sizeof(float), stream));
  }
  void launch(int, cudaStream_t stream) override { router_top8(logits_, weights_, chosen_, shape_.tokens, shape_.width, stream); }

 private:
  std::size_t entries() const { return static_cast<std::size_t>(shape_.tokens) * experts_per_token; }
  // Two bf16 patterns of NaN make up one poisoned float.
  const __nv_bfloat16* output() const override { return reinterpret_cast<const __nv_bfloat16*>(weights_); }
  std::size_t out_elements() const override { return 0; }
  Row actual_row(int token) override { return on_host(weights_ + static_cast<std::size_t>(token) * experts_per_token, experts_per_token); }
  Row expected_row(int token) override {
    Row logits = row(logits_, token, shape_.width);
    std::partial_sort(logits.begin(), logits.begin() + experts_per_token, logits.end(), std::greater<>());
    logits.resize(experts_per_token);
    const float top = logits[0];
    float total = 0;
    for (float& logit : logits) total += logit = std::exp(logit - top);
    for (float& logit : logits) logit /= total;
    return logits;
  }

  __nv_bfloat16* logits_;
  float* weights_;
  int* chosen_;
};

class ExpertMoveOperation : public LayerOperation {
 public:
  ExpertMoveOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), tokens_rows_(take(elements())), expert_rows_(take(elements() * experts_per_token)),
        places_(arena.take<int>(entries())), weights_(arena.take<float>(entries())) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_page_tables(places_, 1, static_cast<int>(entries()), nullptr, static_cast<int>(entries()), seed * 4, stream);
    const bool permutes = shape_.op == LayerOp::moe_permute;
    fill_normal(permutes ? tokens_rows_ : expert_rows_, permutes ? elements() : elements() * experts_per_token, 1, seed * 4 + 1, stream);
    poison(permutes ? expert_rows_ : tokens_rows_, permutes ? elements() * experts_per_token : elements(), stream);
    const std::vector<float> weights(entries(), 1.0f / experts_per_token);
    check(cudaMemcpyAsync(weights_, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
  }
  void launch(int, cudaStream_t stream) override {
    if (shape_.op == LayerOp::moe_permute) moe_permute(tokens_rows_, places_, expert_rows_, shape_.tokens, shape_.width, stream);
    else moe_combine(expert_rows_, places_, weights_, tokens_rows_, shape_.tokens, shape_.width, stream);
  }

 private:
  std::size_t entries() const { return static_cast<std::size_t>(shape_.tokens) * experts_per_token; }
  const __nv_bfloat16* output() const override { return shape_.op == LayerOp::moe_permute ? expert_rows_ : tokens_rows_; }
  std::size_t out_elements() const override { return shape_.op == LayerOp::moe_permute ? elements() * experts_per_token : elements(); }
  Row expert_row(int token, int i) const {
    return row(expert_rows_, on_host(places_ + static_cast<std::size_t>(token) * experts_per_token + i, 1)[0], shape_.width);
  }
  Row actual_row(int token) override { return shape_.op == LayerOp::moe_permute ? expert_row(token, token % experts_per_token) : row(tokens_rows_, token, shape_.width); }
  Row expected_row(int token) override {
    if (shape_.op == LayerOp::moe_permute) return row(tokens_rows_, token, shape_.width);
    Row sum(shape_.width, 0.0f);
    for (int i = 0; i < experts_per_token; ++i) {
      const Row part = expert_row(token, i);
      for (int j = 0; j < shape_.width; ++j) sum[j] += part[j] / experts_per_token;
    }
    return sum;
  }

  __nv_bfloat16 *tokens_rows_, *expert_rows_;
  int* places_;
  float* weights_;
};

}  // namespace

std::unique_ptr<Operation> make_router_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape) {
  return std::make_unique<RouterOperation>(arena, accuracy, shape);
}

std::unique_ptr<Operation> make_expert_move_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape) {
  return std::make_unique<ExpertMoveOperation>(arena, accuracy, shape);
}

}  // namespace rackwright::kernels
