#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "models/kernels/device/arena.h"
#include "models/kernels/operators/gemm.h"
#include "models/kernels/shapes/model_shapes.h"

namespace rackwright::kernels {

/// Random weights of a shard of a dense decoder, drawn once.
struct StepWeights {
  struct Layer {
    __nv_bfloat16 *input_norm, *qkv, *attention_out, *post_norm, *gate_up, *down;
  };

  StepWeights(Arena& arena, const Shard& shard, int layers, std::uint64_t seed, cudaStream_t stream);

  std::vector<Layer> layers;
  __nv_bfloat16 *table, *head, *final_norm;
};

/// Rows of hidden states on their way through a step.
struct StepActivations {
  StepActivations(Arena& arena, const Shard& shard, int rows);

  __nv_bfloat16 *residual, *x, *joint, *q, *attended, *gates, *activated, *projected;
};

/// A layer's products over so many rows.
struct StepProducts {
  StepProducts(const BlasLt& blas, const Shard& shard, int rows);

  int rows;
  Gemm qkv, attention_out, gate_up, down;
};

/// Where a layer's new keys and values go.
struct KvPlaces {
  __nv_bfloat16* keys = nullptr;
  __nv_bfloat16* values = nullptr;
  const int* positions = nullptr;
  const int* slots = nullptr;
};

/// What a step does between a layer's products.
struct LayerHooks {
  std::function<void()> attention;    ///< From `q`, keys and values to `attended`.
  std::function<void()> sum_partial;  ///< Over `projected`, where the model is cut; may be empty.
};

/// A product of `rows` rows with a weight.
GemmCase step_product(int rows, WeightShape weight);

/// One decoder layer; in the first the residual holds the embedding alone.
void launch_layer(const Shard& shard, const StepWeights& weights, std::size_t layer, const StepActivations& a, const StepProducts& products,
                  const KvPlaces& places, const LayerHooks& hooks, cudaStream_t stream);

}  // namespace rackwright::kernels
