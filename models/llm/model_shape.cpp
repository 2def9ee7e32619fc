#include "models/llm/model_shape.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::llm {
namespace {

using Count = std::int64_t;

/// Weights of the projections around one layer's attention.
void count_attention(const AttentionShape& a, Count hidden, ParameterCounts& counts) {
  if (a.kind == AttentionKind::latent) {
    const Count query_width = Count{a.query_heads} * (a.nope_head_dim + a.rope_head_dim);
    counts.attention += a.query_rank > 0 ? hidden * a.query_rank + a.query_rank * query_width : hidden * query_width;
    counts.attention += hidden * (a.kv_rank + a.rope_head_dim);
    counts.attention += Count{a.kv_rank} * a.query_heads * (a.nope_head_dim + a.value_head_dim);
    counts.attention_output += Count{a.query_heads} * a.value_head_dim * hidden;
    counts.other += a.query_rank + a.kv_rank;  // Norms of the compressed rows.
    return;
  }
  const Count query_width = Count{a.query_heads} * a.head_dim;
  const Count key_and_value_width = Count{a.keys_are_values ? 1 : 2} * a.kv_heads * a.head_dim;
  counts.attention += hidden * key_and_value_width;
  counts.attention += a.query_rank > 0 ? hidden * a.query_rank + a.query_rank * query_width : hidden * query_width;
  counts.other += a.query_rank;
  counts.attention_output += query_width * hidden;
  if (a.qkv_bias) counts.other += query_width + key_and_value_width;
  if (a.output_bias) counts.other += hidden;
  if (a.qk_norm) counts.other += 2 * Count{a.head_dim};
  if (a.sinks) counts.other += a.query_heads;
}

void count_feed_forward(const FeedForwardShape& f, Count hidden, ParameterCounts& counts) {
  counts.feed_forward += 3 * hidden * (Count{f.dense_width} + f.shared_width);
  if (f.shared_gate) counts.other += hidden;
  counts.experts += 3 * hidden * Count{f.experts} * f.expert_width;
  counts.other += hidden * f.experts;  // Router.
  if (f.expert_bias) counts.other += Count{f.experts} * (2 * f.expert_width + hidden + 1);
}

}  // namespace

std::string_view to_string(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::full: return "full";
    case AttentionKind::sliding: return "sliding";
    case AttentionKind::chunked: return "chunked";
    case AttentionKind::latent: return "latent";
  }
  invariant(false, "an attention kind has a name");
  return {};
}

int layer_count(const ModelShape& model) {
  int count = 0;
  for (const LayerShape& layer : model.layers) count += layer.count;
  return count * model.repeats;
}

std::vector<int> layer_order(const ModelShape& model) {
  std::vector<int> order;
  for (int repeat = 0; repeat < model.repeats; ++repeat)
    for (std::size_t kind = 0; kind < model.layers.size(); ++kind)
      order.insert(order.end(), static_cast<std::size_t>(model.layers[kind].count), static_cast<int>(kind));
  return order;
}

ParameterCounts& ParameterCounts::operator+=(const ParameterCounts& more) {
  attention += more.attention;
  attention_output += more.attention_output;
  feed_forward += more.feed_forward;
  experts += more.experts;
  lm_head += more.lm_head;
  other += more.other;
  return *this;
}

ParameterCounts layer_parameters(const LayerShape& layer, int hidden) {
  ParameterCounts counts;
  count_attention(layer.attention, hidden, counts);
  count_feed_forward(layer.feed_forward, hidden, counts);
  counts.other += Count{layer.norms} * hidden;
  return counts;
}

std::int64_t embedding_parameters(const ModelShape& model) { return Count{model.vocabulary} * model.hidden; }

ParameterCounts parameters(const ModelShape& model) {
  ParameterCounts counts;
  for (const LayerShape& layer : model.layers) {
    const ParameterCounts one = layer_parameters(layer, model.hidden);
    for (int i = 0; i < layer.count * model.repeats; ++i) counts += one;
  }
  counts.other += embedding_parameters(model) + model.hidden;  // And the final norm.
  if (!model.tied_embeddings) counts.lm_head = embedding_parameters(model);
  return counts;
}

std::int64_t mtp_parameters(const ModelShape& model) {
  if (model.layers.empty()) return 0;
  return layer_parameters(model.layers.back(), model.hidden).total() + 2 * Count{model.hidden} * model.hidden +
         3 * Count{model.hidden};
}

std::int64_t active_parameters(const ModelShape& model) {
  Count active = parameters(model).total();
  if (!model.tied_embeddings) active -= embedding_parameters(model);
  for (const LayerShape& layer : model.layers) {
    const FeedForwardShape& f = layer.feed_forward;
    const Count idle = Count{f.experts - f.experts_per_token} * 3 * model.hidden * f.expert_width;
    active -= idle * layer.count * model.repeats;
  }
  return active;
}

double weight_bytes(const ParameterCounts& counts, const WeightFormats& formats) {
  const auto bytes = [](Count n, WeightFormat format) { return static_cast<double>(n) * bits_per_weight(format) / 8; };
  return bytes(counts.attention, formats.attention) + bytes(counts.attention_output, formats.attention_output) +
         bytes(counts.feed_forward, formats.feed_forward) + bytes(counts.experts, formats.experts) +
         bytes(counts.lm_head, formats.lm_head) + bytes(counts.other, formats.other);
}

double kv_bytes_per_token(const AttentionShape& a, hardware::NumberFormat kv) {
  const int values = a.kind == AttentionKind::latent ? a.kv_rank + a.rope_head_dim : 2 * a.kv_heads * a.head_dim;
  return values * hardware::bits(kv) / 8.0;
}

double kv_bytes_per_token(const ModelShape& model) {
  double bytes = 0;
  for (const LayerShape& layer : model.layers) bytes += layer.count * kv_bytes_per_token(layer.attention, model.kv);
  return bytes * model.repeats;
}

double kv_bytes(const ModelShape& model, std::int64_t context_tokens) {
  double bytes = 0;
  for (const LayerShape& layer : model.layers) {
    const int window = layer.attention.window_tokens;
    const std::int64_t kept = window > 0 ? std::min<std::int64_t>(context_tokens, window) : context_tokens;
    bytes += layer.count * kv_bytes_per_token(layer.attention, model.kv) * static_cast<double>(kept);
  }
  return bytes * model.repeats;
}

}  // namespace rackwright::llm
