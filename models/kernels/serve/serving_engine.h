#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "models/kernels/families/profile_session.h"
#include "models/kernels/families/step_layer.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/operators/decode_attention.h"
#include "models/kernels/serve/step_kernels.h"

namespace rackwright::kernels {

/// Keys and values of one layer: [slots, most_sequence_tokens, kv_heads · head_dim].
struct LayerCache {
  __nv_bfloat16 *keys, *values;
};

/// Llama-3.1-8B with random weights, KV memory for `most_sequences` sequences and one CUDA graph a bucket, each for steps of any lengths.
///
/// Every slot's keys lie in one piece. Weights, keys and hidden states are drawn once; the tokens are the model's own.
class ServingEngine {
 public:
  static constexpr int layers = 32;

  /// `layer_written`: none, or an event a layer, which a step of prompts alone records when the layer's keys and values are written.
  ServingEngine(ProfileSession& session, std::uint64_t seed, std::span<const cudaEvent_t> layer_written = {});
  ~ServingEngine();
  ServingEngine(const ServingEngine&) = delete;
  ServingEngine& operator=(const ServingEngine&) = delete;

  /// Runs a step and waits for it. The result stays until the next one.
  const StepResult& run(const StepPlan& plan);
  /// Its two halves.
  void start(const StepPlan& plan);
  const StepResult& finish();
  /// The same without padding and without a graph: the reference of `run`.
  const StepResult& run_unpadded(const StepPlan& plan);

  /// Worst relative error of the last layer's attention over sampled rows and heads of the step that ran last in `bucket`, against a
  /// plain recomputation; NaN when one of them was not written.
  double attention_error(const StepPlan& plan, StepBucket bucket);
  /// Logits of the step that ran last: of the decodes, then of the chunks.
  std::vector<float> logits(const StepPlan& plan, StepBucket bucket);
  /// Logits of one row.
  std::size_t vocabulary() const { return static_cast<std::size_t>(shard_.lm_head().n); }
  /// Keys, then values, of the last layer for each of a slot's first tokens.
  std::vector<std::vector<float>> last_keys_and_values(int slot, int tokens);
  const std::vector<LayerCache>& caches() const { return caches_; }
  /// Elements of one token's keys in a layer.
  std::size_t kv_width() const { return static_cast<std::size_t>(shard_.kv_heads() * shard_.model.head_dim); }
  cudaStream_t stream() const { return stream_; }
  /// NaN into everything that a step writes.
  void poison_states();
  /// Fresh values into it.
  void fill_states(std::uint64_t seed);
  /// The newest token of every slot, to run a step twice from the same state.
  std::vector<int> newest_tokens();
  void set_newest_tokens(const std::vector<int>& tokens);

 private:
  /// The products of a bucket's shape.
  struct Products {
    const StepProducts* layers;
    const Gemm* head;
  };
  Products products_for(StepBucket bucket);
  void launch(StepBucket bucket, const Products& products);
  void launch_attention(StepBucket bucket, const LayerCache& cache);
  void record_written(StepBucket bucket, std::size_t layer);
  static int logit_rows(StepBucket bucket) { return bucket.decodes + (bucket.prompt_tokens > 0 ? most_chunks : 0); }
  void wait();
  /// Each buffer of hidden states and its elements.
  void for_each_state(const std::function<void(__nv_bfloat16*, std::size_t)>& visit);

  ProfileSession& session_;
  cudaStream_t stream_;
  std::vector<cudaEvent_t> layer_written_;
  Shard shard_;
  StepWeights weights_;
  StepActivations activations_;
  std::vector<LayerCache> caches_;
  __nv_bfloat16 *head_rows_, *logits_;
  StepRows rows_;
  int* chosen_;
  unsigned long long* best_;
  float* partial_;
  float2* partial_scale_;
  StepInput* device_input_;
  StepResult* device_result_;
  StepInput* input_ = nullptr;    ///< Pinned.
  StepResult* result_ = nullptr;  ///< Pinned.
  std::map<int, StepProducts> layer_products_;  ///< By rows.
  std::map<int, Gemm> head_products_;
  struct Captured {
    StepBucket bucket;
    std::unique_ptr<Graph> graph;
  };
  std::vector<Captured> graphs_;
};

}  // namespace rackwright::kernels
