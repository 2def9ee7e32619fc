#include <algorithm>
#include <numeric>

#include "models/kernels/families/layer_operations.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/sampling.h"

namespace rackwright::kernels {
namespace {

/// Greedy: the chosen token must hold the row's largest logit. Sampling: one of the 50 largest.
class SamplingOperation : public LayerOperation {
 public:
  SamplingOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), logits_(take(elements())), chosen_(arena.take<int>(shape.tokens)) {
    if (shape.op == LayerOp::argmax) {
      best_ = arena.take<unsigned long long>(shape.tokens);
      return;
    }
    sampler_ = std::make_unique<SortSampler>(shape.tokens, shape.width);
    sorted_ = take(elements());
    ids_ = arena.take<int>(elements());
    sorted_ids_ = arena.take<int>(elements());
    draws_ = arena.take<float>(shape.tokens);
    scratch_ = arena.take<std::byte>(sampler_->scratch_bytes());
    std::vector<int> ids(elements());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i % shape.width);
    check(cudaMemcpy(ids_, ids.data(), ids.size() * sizeof(int), cudaMemcpyHostToDevice));
    std::vector<float> draws(shape.tokens);
    for (std::size_t i = 0; i < draws.size(); ++i) draws[i] = static_cast<float>(i) / static_cast<float>(draws.size());
    check(cudaMemcpy(draws_, draws.data(), draws.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_normal(logits_, elements(), 2, seed, stream);
    check(cudaMemsetAsync(chosen_, 0xff, shape_.tokens * sizeof(int), stream));
  }
  void launch(int, cudaStream_t stream) override {
    if (shape_.op == LayerOp::argmax) argmax(logits_, best_, chosen_, shape_.tokens, shape_.width, stream);
    else sampler_->run(logits_, ids_, sorted_, sorted_ids_, scratch_, draws_, chosen_, stream);
  }

 private:
  const __nv_bfloat16* output() const override { return logits_; }
  std::size_t out_elements() const override { return 0; }
  Row actual_row(int token) override {
    const int id = on_host(chosen_ + token, 1)[0];
    if (id < 0 || id >= shape_.width) return {std::numeric_limits<float>::quiet_NaN()};
    return {row(logits_, token, shape_.width)[id]};
  }
  Row expected_row(int token) override {
    Row logits = row(logits_, token, shape_.width);
    if (shape_.op == LayerOp::argmax) return {*std::max_element(logits.begin(), logits.end())};
    std::partial_sort(logits.begin(), logits.begin() + SortSampler::top_k, logits.end(), std::greater<>());
    const float chosen = actual_row(token)[0];
    return {chosen >= logits[SortSampler::top_k - 1] ? chosen : logits[0]};
  }

  __nv_bfloat16* logits_;
  int* chosen_;
  unsigned long long* best_ = nullptr;
  std::unique_ptr<SortSampler> sampler_;
  __nv_bfloat16* sorted_ = nullptr;
  int* ids_ = nullptr;
  int* sorted_ids_ = nullptr;
  float* draws_ = nullptr;
  std::byte* scratch_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_sampling_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape) {
  return std::make_unique<SamplingOperation>(arena, accuracy, shape);
}

}  // namespace rackwright::kernels
