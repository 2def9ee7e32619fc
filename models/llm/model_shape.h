#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/hardware/number_format.h"
#include "models/llm/weight_format.h"

namespace rackwright::llm {

/// Which tokens a query attends to, and what is cached for them.
///  full     every earlier token; K and V per KV head (MHA, GQA, MQA)
///  sliding  the last `window_tokens`, the own one included
///  chunked  the tokens of the own chunk of `window_tokens` (Llama 4)
///  latent   every earlier token; one compressed row per token for all heads (MLA)
enum class AttentionKind { full, sliding, chunked, latent };

std::string_view to_string(AttentionKind kind);

struct AttentionShape {
  AttentionKind kind = AttentionKind::full;
  int query_heads = 0;
  int kv_heads = 0;       ///< Unused by latent attention, which caches one row per token.
  int head_dim = 0;       ///< Of queries, keys and values; unused by latent attention.
  int window_tokens = 0;  ///< Sliding and chunked only.

  int query_rank = 0;      ///< Latent and full: width of the compressed query; 0 when queries are not compressed.
  int kv_rank = 0;         ///< Latent: width of the compressed row.
  int rope_head_dim = 0;   ///< Latent: rotated part of a key, cached beside the compressed row.
  int nope_head_dim = 0;   ///< Latent: unrotated part of a key.
  int value_head_dim = 0;  ///< Latent.

  bool qkv_bias = false;
  bool output_bias = false;
  bool qk_norm = false;          ///< RMS norm over each query and key head.
  bool sinks = false;            ///< One learned logit per query head (gpt-oss).
  bool keys_are_values = false;  ///< One projection gives both (Gemma 4); both are cached.
  bool operator==(const AttentionShape&) const = default;
};

/// The feed-forward part of a layer: a dense network, experts, or both side by side. All are gated,
/// with three matrices: gate and up (hidden x width) and down (width x hidden).
struct FeedForwardShape {
  int dense_width = 0;        ///< 0: no dense network.
  int experts = 0;            ///< 0: no experts.
  int experts_per_token = 0;
  int expert_width = 0;
  int shared_width = 0;       ///< Of all shared experts together.
  bool shared_gate = false;   ///< A learned gate on the shared experts (Qwen2-MoE).
  bool expert_bias = false;   ///< Biases in experts and router (gpt-oss).
  bool operator==(const FeedForwardShape&) const = default;
};

/// `count` equal layers in a row.
struct LayerShape {
  int count = 1;
  int norms = 2;  ///< RMS norms of the hidden width; norms of heads and ranks follow from the attention.
  AttentionShape attention;
  FeedForwardShape feed_forward;
  bool operator==(const LayerShape&) const = default;
};

/// The format of each group of weights. Norms, biases, routers and the embedding are `other`.
struct WeightFormats {
  WeightFormat attention = WeightFormat::bf16;         ///< Projections into queries, keys and values.
  WeightFormat attention_output = WeightFormat::bf16;
  WeightFormat feed_forward = WeightFormat::bf16;      ///< Dense networks and shared experts.
  WeightFormat experts = WeightFormat::bf16;
  WeightFormat lm_head = WeightFormat::bf16;
  WeightFormat other = WeightFormat::bf16;
  bool operator==(const WeightFormats&) const = default;
};

/// A decoder-only transformer, as far as its cost depends on it.
///
/// The whole stack is `layers`, in order, `repeats` times over: gpt-oss-120b is 18 times
/// {one sliding layer, one full layer}; DeepSeek-V3 is once {3 dense, 58 with experts}.
/// Not modelled: vision and audio towers, encoder-decoder models, state-space and linear-attention
/// layers, sparse attention by an indexer.
struct ModelShape {
  std::string name;
  std::string source;
  int hidden = 0;
  int vocabulary = 0;
  bool tied_embeddings = false;  ///< The LM head is the embedding table.
  int repeats = 1;
  std::vector<LayerShape> layers;
  int mtp_layers = 0;            ///< Multi-token-prediction modules; not part of a normal step.
  std::int64_t max_context_tokens = 0;
  WeightFormats weights;
  hardware::NumberFormat kv = hardware::NumberFormat::bf16;
  hardware::NumberFormat activations = hardware::NumberFormat::bf16;
  bool operator==(const ModelShape&) const = default;
};

/// Number of layers.
int layer_count(const ModelShape& model);

/// For each layer in order, its index into `layers`.
std::vector<int> layer_order(const ModelShape& model);

/// Parameters by the group that decides their format.
struct ParameterCounts {
  std::int64_t attention = 0;
  std::int64_t attention_output = 0;
  std::int64_t feed_forward = 0;
  std::int64_t experts = 0;
  std::int64_t lm_head = 0;  ///< 0 when tied.
  std::int64_t other = 0;    ///< Norms, biases, routers and the embedding.

  std::int64_t total() const { return attention + attention_output + feed_forward + experts + lm_head + other; }
  ParameterCounts& operator+=(const ParameterCounts& more);
};

/// Of one layer, whatever its `count`.
ParameterCounts layer_parameters(const LayerShape& layer, int hidden);

/// Embedding table alone.
std::int64_t embedding_parameters(const ModelShape& model);

/// Of the whole model without its MTP modules, as model cards count.
ParameterCounts parameters(const ModelShape& model);

/// Of one MTP module: a layer like the last one, the projection of two hidden vectors into one and
/// its norms (DeepSeek-V3 technical report, section 2.2); embedding and LM head are shared.
std::int64_t mtp_parameters(const ModelShape& model);

/// Parameters that take part in one token: all but the experts not chosen and, unless it is also the
/// LM head, the embedding table, of which a token reads one row.
std::int64_t active_parameters(const ModelShape& model);

/// Bytes of these parameters in these formats.
double weight_bytes(const ParameterCounts& counts, const WeightFormats& formats);

/// Bytes that one token adds to the KV cache of one such layer.
double kv_bytes_per_token(const AttentionShape& attention, hardware::NumberFormat kv);

/// Bytes that one token adds to the KV cache of the whole model while no window is full:
/// 2 · layers · kv_heads · head_dim · bytes, or layers · (kv_rank + rope_head_dim) · bytes.
double kv_bytes_per_token(const ModelShape& model);

/// Bytes that a sequence of `context_tokens` keeps: layers with a window keep at most that many tokens.
double kv_bytes(const ModelShape& model, std::int64_t context_tokens);

}  // namespace rackwright::llm
