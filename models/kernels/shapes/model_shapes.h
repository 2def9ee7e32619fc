#pragma once

#include <span>
#include <string>
#include <vector>

namespace rackwright::kernels {

/// The sizes of a decoder layer that its matrix products depend on. `ffn` is the width of one
/// gate (half of the joint gate-up product); 0 for a model whose feed-forward part is experts only.
struct ModelShape {
  std::string name;
  int hidden = 0;
  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int ffn = 0;
  int vocabulary = 0;
};

/// One weight matrix W[n, k].
struct WeightShape {
  int n = 0;
  int k = 0;
  bool operator==(const WeightShape&) const = default;
};

/// A model cut over `tensor_parallel` devices.
struct Shard {
  ModelShape model;
  int tensor_parallel = 1;

  int q_heads() const { return model.q_heads / tensor_parallel; }
  /// A device holds at least one KV head; past that they are replicated.
  int kv_heads() const { return model.kv_heads >= tensor_parallel ? model.kv_heads / tensor_parallel : 1; }
  int qkv_width() const { return (q_heads() + 2 * kv_heads()) * model.head_dim; }
  int ffn() const { return model.ffn / tensor_parallel; }
  WeightShape qkv() const { return {qkv_width(), model.hidden}; }
  WeightShape attention_out() const { return {model.hidden, q_heads() * model.head_dim}; }
  WeightShape gate_up() const { return {2 * ffn(), model.hidden}; }
  WeightShape down() const { return {model.hidden, ffn()}; }
  WeightShape lm_head() const { return {model.vocabulary / tensor_parallel, model.hidden}; }
};

/// Sizes from the models' public config.json files.
ModelShape llama_8b();
ModelShape llama_70b();
ModelShape llama_405b();

/// The shards whose products the profile covers closely, tensor parallel 1 to 8.
std::vector<Shard> profiled_shards();

/// Shards of the other preset models, covered at fewer row counts.
std::vector<Shard> sparsely_profiled_shards();

/// Products that no shard above has: multi-head latent attention, routers, dense and shared experts of
/// mixture models.
std::vector<WeightShape> further_weights();

}  // namespace rackwright::kernels
