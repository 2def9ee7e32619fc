#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "models/kernels/families/profile_session.h"
#include "models/kernels/families/step_layer.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/operators/decode_attention.h"
#include "models/kernels/serve/step_kernels.h"

namespace rackwright::kernels {

/// Llama-3.1-8B with random weights, KV memory for `most_sequences` sequences and one CUDA graph a bucket, each for steps of any lengths.
///
/// Every slot's keys lie in one piece. Weights, keys and hidden states are drawn once; the tokens are the model's own.
class ServingEngine {
 public:
  ServingEngine(ProfileSession& session, std::uint64_t seed);
  ~ServingEngine();
  ServingEngine(const ServingEngine&) = delete;
  ServingEngine& operator=(const ServingEngine&) = delete;

  /// Runs a step and waits for it. The result stays until the next one.
  const StepResult& run(const StepPlan& plan);
  /// The same without padding and without a graph: the reference of `run`.
  const StepResult& run_unpadded(const StepPlan& plan);

  /// Worst relative error of the last layer's attention over sampled rows and heads of the step that ran last in `bucket`, against a
  /// plain recomputation; NaN when one of them was not written.
  double attention_error(const StepPlan& plan, StepBucket bucket);
  /// Logits of the step that ran last: of the decodes, then of the chunks.
  std::vector<float> logits(const StepPlan& plan, StepBucket bucket);
  /// NaN into everything that a step writes.
  void poison_states();
  /// Fresh values into it.
  void fill_states(std::uint64_t seed);
  /// The newest token of every slot, to run a step twice from the same state.
  std::vector<int> newest_tokens();
  void set_newest_tokens(const std::vector<int>& tokens);

 private:
  struct Cache {
    __nv_bfloat16 *keys, *values;
  };
  /// The products of a bucket's shape.
  struct Products {
    const StepProducts* layers;
    const Gemm* head;
  };
  Products products_for(StepBucket bucket);
  void launch(StepBucket bucket, const Products& products);
  void launch_attention(StepBucket bucket, const Cache& cache);
  static int logit_rows(StepBucket bucket) { return bucket.decodes + (bucket.prompt_tokens > 0 ? most_chunks : 0); }
  void wait();
  /// Each buffer of hidden states and its elements.
  void for_each_state(const std::function<void(__nv_bfloat16*, std::size_t)>& visit);

  ProfileSession& session_;
  cudaStream_t stream_;
  Shard shard_;
  StepWeights weights_;
  StepActivations activations_;
  std::vector<Cache> caches_;
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
