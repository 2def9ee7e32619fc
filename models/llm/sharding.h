#pragma once

#include <memory>
#include <vector>

#include "models/base/diagnostic.h"
#include "models/llm/expert_balance.h"
#include "models/llm/model_shape.h"

namespace rackwright::llm {

/// How one instance spreads a model over its devices: tensor · pipeline · data · context of them.
///  tensor    heads and widths are split; each rank sees every token of its data rank
///  pipeline  layers are split into stages that follow one another
///  data      attention and dense layers are replicated, and each rank has its own sequences (DP attention)
///  expert    experts are spread whole over this many devices of a stage; 1 splits each expert by `tensor`
///  context   the tokens of every sequence are split; each part has all weights (context or sequence parallel)
struct Parallelism {
  int tensor = 1;
  int pipeline = 1;
  int data = 1;
  int expert = 1;
  int context = 1;
  ExpertSpread experts = {};
  bool operator==(const Parallelism&) const = default;
};

int device_count(const Parallelism& parallelism);
/// Of one pipeline stage.
int stage_devices(const Parallelism& parallelism);

/// What the device with the most to do holds. Where a degree does not divide evenly, that device has
/// the rounded-up share.
struct ShardedShape {
  ModelShape model;        ///< The whole model.
  Parallelism parallelism;
  /// The share of each layer kind, in the order of `model.layers`: heads, widths, vocabulary and experts are those
  /// of one device. `experts` is the number of experts that lie on it.
  std::vector<LayerShape> layers;
  int vocabulary = 0;
  /// What skew, placement and routing make of the experts of each layer kind, in the same order; null where all is even.
  std::vector<std::shared_ptr<const ExpertBalance>> balance;
  std::vector<int> stage_layers;  ///< Number of layers of each pipeline stage.

  double weight_bytes = 0;        ///< Of the fullest device.
  double kv_bytes_per_token = 0;  ///< On the fullest device, per token of its sequences that it keeps.
  /// How many devices of a tensor group hold a copy of the same KV head: max(1, tensor / kv_heads),
  /// the largest over the layers; `tensor` for latent attention.
  int kv_copies = 1;
};

/// Spreads a model. Degrees that no engine could run (heads that do not divide, more stages than layers,
/// experts over devices that are not there) are errors; a split that only wastes is a warning.
/// `where` and `path` say where the degrees were given.
ShardedShape shard(const ModelShape& model, const Parallelism& parallelism, const Location& where,
                   const std::string& path, Diagnostics& diagnostics);

/// Bytes that a sequence of `context_tokens` keeps on the fullest device; layers with a window keep less.
double kv_bytes(const ShardedShape& sharded, std::int64_t context_tokens);

}  // namespace rackwright::llm
