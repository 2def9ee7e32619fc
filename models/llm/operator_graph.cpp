#include "models/llm/operator_graph.h"

#include <algorithm>
#include <cmath>

#include "models/base/invariant.h"

namespace rackwright::llm {
namespace {

double ceil_div(double a, int b) { return std::ceil(a / b); }

/// Appends operators with the multiplicity of the layers they belong to.
class Graph {
 public:
  explicit Graph(const ShardedShape& sharded)
      : model_(sharded.model), activation_bytes_(hardware::bits(model_.activations) / 8.0) {}

  void repeat(int count) { count_ = count; }

  void gemm(OperatorKind kind, double m, std::int64_t n, std::int64_t k, WeightFormat weights) {
    grouped_gemm(kind, m, 1, n, k, weights);
  }

  /// Flops 2·m·n·k; bytes: inputs m·k, outputs m·n, and the weights of the groups in use.
  void grouped_gemm(OperatorKind kind, double m, double groups, std::int64_t n, std::int64_t k, WeightFormat weights) {
    if (n == 0 || k == 0) return;
    const double size = static_cast<double>(n) * static_cast<double>(k);
    const double input_bytes = std::min(activation_bytes_, hardware::bits(arithmetic_format(weights)) / 8.0);
    Operator op{.kind = kind, .count = count_, .format = arithmetic_format(weights)};
    op.m = m;
    op.n = static_cast<int>(n);
    op.k = static_cast<int>(k);
    op.groups = groups;
    op.weights = weights;
    op.flops = 2 * m * size;
    op.bytes = groups * size * bits_per_weight(weights) / 8 + m * (static_cast<double>(k) * input_bytes + static_cast<double>(n) * activation_bytes_);
    operators.push_back(op);
  }

  /// Reads and writes `elements_per_token` activations in all for each token.
  void memory(OperatorKind kind, double tokens, int width, double elements_per_token) {
    if (width == 0) return;
    Operator op{.kind = kind, .count = count_, .format = model_.activations};
    op.tokens = tokens;
    op.width = width;
    op.flops = tokens * elements_per_token;
    op.bytes = tokens * elements_per_token * activation_bytes_;
    operators.push_back(op);
  }

  void collective(OperatorKind kind, double message_bytes, int ranks, double network_bytes = 0) {
    if (ranks <= 1) return;
    Operator op{.kind = kind, .count = count_};
    op.message_bytes = message_bytes;
    op.ranks = ranks;
    op.network_bytes = network_bytes;
    operators.push_back(op);
  }

  double activation_bytes() const { return activation_bytes_; }

  std::vector<Operator> operators;

 private:
  const ModelShape& model_;
  double activation_bytes_;
  int count_ = 1;
};

void add_projections(Graph& graph, const ModelShape& model, const AttentionShape& a, double tokens) {
  const WeightFormat format = model.weights.attention;
  if (a.kind == AttentionKind::latent) {
    const int query_width = a.query_heads * (a.nope_head_dim + a.rope_head_dim);
    if (a.query_rank > 0) {
      graph.gemm(OperatorKind::query_down, tokens, a.query_rank, model.hidden, format);
      graph.gemm(OperatorKind::query_up, tokens, query_width, a.query_rank, format);
    } else {
      graph.gemm(OperatorKind::query_up, tokens, query_width, model.hidden, format);
    }
    graph.gemm(OperatorKind::kv_down, tokens, a.kv_rank + a.rope_head_dim, model.hidden, format);
    // Expanding rows into heads (prefill) and absorbing heads into rows (decode) use the same weights once
    // per token: 2·kv_rank·heads·(nope + value) flops either way.
    graph.gemm(OperatorKind::kv_up, tokens, a.query_heads * (a.nope_head_dim + a.value_head_dim), a.kv_rank, format);
    graph.memory(OperatorKind::rope, tokens, query_width + a.kv_rank + a.rope_head_dim, 2.0 * (query_width + a.kv_rank + a.rope_head_dim));
    return;
  }
  const int key_and_value_heads = a.keys_are_values ? a.kv_heads : 2 * a.kv_heads;
  const int width = (a.query_heads + key_and_value_heads) * a.head_dim;
  if (a.query_rank > 0) {
    graph.gemm(OperatorKind::query_down, tokens, a.query_rank, model.hidden, format);
    graph.gemm(OperatorKind::query_up, tokens, a.query_heads * a.head_dim, a.query_rank, format);
    graph.gemm(OperatorKind::qkv_projection, tokens, key_and_value_heads * a.head_dim, model.hidden, format);
  } else {
    graph.gemm(OperatorKind::qkv_projection, tokens, width, model.hidden, format);
  }
  const int normed = (a.query_heads + a.kv_heads) * a.head_dim;
  if (a.qk_norm) graph.memory(OperatorKind::qk_norm, tokens, normed, 2.0 * normed);
  // Reads the joint row, writes Q and the pages of K and V.
  graph.memory(OperatorKind::rope, tokens, width, 2.0 * width);
}

int output_inputs(const AttentionShape& a) {
  return a.query_heads * (a.kind == AttentionKind::latent ? a.value_head_dim : a.head_dim);
}

/// Devices to which a token goes: G·(1 − (1 − 1/G)^K) distinct ones of G for K evenly chosen experts.
double device_copies(const Parallelism& p, const ExpertBalance* balance, double chosen) {
  return balance ? balance->device_copies() : p.expert * (1 - std::pow(1 - 1.0 / p.expert, chosen));
}

/// Dispatch to experts and their answers, one copy for each device; tensor ranks share the sending.
/// Forwarded, each node that it goes to gets one copy over the network, and the scale-up link carries it to the devices there.
void add_exchange(Graph& graph, const ShardedShape& sharded, const ExpertBalance* balance, double chosen, double rank_tokens) {
  const ModelShape& model = sharded.model;
  const Parallelism& p = sharded.parallelism;
  const double copies = device_copies(p, balance, chosen);
  const bool is_forwarded = balance && p.experts.dispatch == ExpertSpread::Dispatch::forwarded && balance->nodes() > 1;
  const double elsewhere = is_forwarded ? balance->node_copies() * (1 - 1.0 / balance->nodes()) : 0;
  const double row = rank_tokens * model.hidden / p.tensor;
  const double expert_bytes = hardware::bits(arithmetic_format(model.weights.experts)) / 8.0;
  const double dispatch_bytes = std::max(std::min(graph.activation_bytes(), expert_bytes), 1.0);
  for (const double bytes : {dispatch_bytes, graph.activation_bytes()})
    graph.collective(OperatorKind::all_to_all, row * copies * bytes, p.expert, row * elsewhere * bytes);
}

/// Experts of one layer: the rows that land on this device.
void add_experts(Graph& graph, const ShardedShape& sharded, const FeedForwardShape& whole, const FeedForwardShape& f,
                 const ExpertBalance* balance, double rank_tokens, double all_tokens) {
  const ModelShape& model = sharded.model;
  const Parallelism& p = sharded.parallelism;
  const double chosen = whole.experts_per_token;
  // Split experts serve the tokens of their own ranks, those spread whole the tokens of all.
  const double served = p.expert > 1 ? all_tokens : rank_tokens;
  const double rows = served * chosen / p.expert * (balance ? balance->imbalance() : 1);
  const double active = balance ? balance->activated(served) : f.experts * (1 - std::pow(1 - chosen / whole.experts, served));
  graph.gemm(OperatorKind::router, rank_tokens, whole.experts, model.hidden, model.weights.other);
  graph.memory(OperatorKind::route, rank_tokens, whole.experts, whole.experts + 4 * chosen);
  if (p.data > 1) add_exchange(graph, sharded, balance, chosen, rank_tokens);
  // One row read for each token that came here, one written for each expert of it that lies here; and back.
  const double arrived = p.data > 1 ? device_copies(p, balance, chosen) : 1;
  const double copies = rows / std::max(rank_tokens, 1.0);
  graph.memory(OperatorKind::permute, rank_tokens, model.hidden, (arrived + copies) * model.hidden);
  graph.grouped_gemm(OperatorKind::expert_gate_up, rows, active, 2 * f.expert_width, model.hidden, model.weights.experts);
  graph.memory(OperatorKind::expert_activation, rows, f.expert_width, 3.0 * f.expert_width);
  graph.grouped_gemm(OperatorKind::expert_down, rows, active, model.hidden, f.expert_width, model.weights.experts);
  graph.memory(OperatorKind::combine, rank_tokens, model.hidden, (arrived + copies) * model.hidden);
}

void add_feed_forward(Graph& graph, const ShardedShape& sharded, std::size_t layer, double rank_tokens, double all_tokens) {
  const ModelShape& model = sharded.model;
  const FeedForwardShape& f = sharded.layers[layer].feed_forward;
  const auto dense = [&](int width, OperatorKind gate_up, OperatorKind activation, OperatorKind down) {
    graph.gemm(gate_up, rank_tokens, 2 * width, model.hidden, model.weights.feed_forward);
    graph.memory(activation, rank_tokens, width, 3.0 * width);
    graph.gemm(down, rank_tokens, model.hidden, width, model.weights.feed_forward);
  };
  dense(f.dense_width, OperatorKind::gate_up, OperatorKind::activation, OperatorKind::down);
  dense(f.shared_width, OperatorKind::shared_gate_up, OperatorKind::shared_activation, OperatorKind::shared_down);
  if (f.experts > 0)
    add_experts(graph, sharded, model.layers[layer].feed_forward, f, sharded.balance[layer].get(), rank_tokens, all_tokens);
}

}  // namespace

std::vector<Operator> token_operators(const ShardedShape& sharded, std::int64_t tokens) {
  const ModelShape& model = sharded.model;
  const Parallelism& p = sharded.parallelism;
  const double all_tokens = static_cast<double>(tokens);
  const double rank_tokens = ceil_div(all_tokens, p.data * p.context);
  Graph graph(sharded);
  const double hidden_bytes = rank_tokens * model.hidden * graph.activation_bytes();
  graph.memory(OperatorKind::embedding, rank_tokens, model.hidden, 2.0 * model.hidden);
  graph.collective(OperatorKind::all_reduce, hidden_bytes, p.tensor);
  for (std::size_t i = 0; i < sharded.layers.size(); ++i) {
    const LayerShape& layer = sharded.layers[i];
    const int layers = layer.count * model.repeats;
    // Residual in and out, input, output: four rows of the hidden width.
    graph.repeat(layers * layer.norms);
    graph.memory(OperatorKind::norm, rank_tokens, model.hidden, 4.0 * model.hidden);
    graph.repeat(layers);
    add_projections(graph, model, layer.attention, rank_tokens);
    graph.gemm(OperatorKind::output_projection, rank_tokens, model.hidden, output_inputs(layer.attention), model.weights.attention_output);
    graph.collective(OperatorKind::all_reduce, hidden_bytes, p.tensor);
    const FeedForwardShape& f = layer.feed_forward;
    add_feed_forward(graph, sharded, i, rank_tokens, all_tokens);
    // Rows that come back from experts by all-to-all are whole already.
    if (p.data == 1 || f.dense_width > 0 || f.shared_width > 0)
      graph.collective(OperatorKind::all_reduce, hidden_bytes, p.tensor);
  }
  graph.repeat(1);
  graph.memory(OperatorKind::norm, rank_tokens, model.hidden, 4.0 * model.hidden);
  if (p.pipeline > 1) {
    graph.repeat(p.pipeline - 1);
    graph.collective(OperatorKind::send, hidden_bytes, 2);
  }
  return std::move(graph.operators);
}

std::vector<Operator> row_operators(const ShardedShape& sharded, std::int64_t rows) {
  const ModelShape& model = sharded.model;
  const double rank_rows = ceil_div(static_cast<double>(rows), sharded.parallelism.data * sharded.parallelism.context);
  Graph graph(sharded);
  graph.gemm(OperatorKind::lm_head, rank_rows, sharded.vocabulary, model.hidden, model.tied_embeddings ? model.weights.other : model.weights.lm_head);
  graph.collective(OperatorKind::all_gather, rank_rows * model.vocabulary * graph.activation_bytes(), sharded.parallelism.tensor);
  graph.memory(OperatorKind::sampling, rank_rows, model.vocabulary, model.vocabulary);
  return std::move(graph.operators);
}

Operator decode_attention(const ShardedShape& sharded, const LayerShape& layer, double sequences, double context_tokens) {
  const ModelShape& model = sharded.model;
  const AttentionShape& a = layer.attention;
  Operator op{.kind = OperatorKind::decode_attention, .count = layer.count * model.repeats, .kernels = 2, .format = model.activations};
  op.query_heads = a.query_heads;
  op.kv = model.kv;
  op.sequences = sequences;
  op.context_tokens = context_tokens;
  if (a.kind == AttentionKind::latent) {
    op.kv_heads = 1;
    op.head_dim = a.kv_rank + a.rope_head_dim;
    op.value_dim = a.kv_rank;
  } else {
    op.kv_heads = a.kv_heads;
    op.head_dim = op.value_dim = a.head_dim;
  }
  op.flops = 2.0 * op.query_heads * (op.head_dim + op.value_dim) * context_tokens;
  const double query_and_output = op.query_heads * (op.head_dim + op.value_dim) * (hardware::bits(model.activations) / 8.0);
  op.bytes = kv_bytes_per_token(a, model.kv) * context_tokens + query_and_output * sequences;
  return op;
}

Operator prefill_attention(const ShardedShape& sharded, const LayerShape& layer, std::int64_t new_tokens,
                           std::int64_t past_tokens) {
  const ModelShape& model = sharded.model;
  const AttentionShape& a = layer.attention;
  const double bytes_per_value = hardware::bits(model.activations) / 8.0;
  Operator op{.kind = OperatorKind::prefill_attention, .count = layer.count * model.repeats, .format = model.activations};
  op.query_heads = a.query_heads;
  op.kv = model.kv;
  op.sequences = 1;
  op.new_tokens = static_cast<double>(new_tokens);
  op.past_tokens = static_cast<double>(past_tokens);
  const double pairs = attended_pairs(a, new_tokens, past_tokens);
  double kv_row_values = 0;
  if (a.kind == AttentionKind::latent) {
    // As many heads of keys and values as of queries, expanded from the rows; those of the past once more.
    op.kv_heads = a.query_heads;
    op.head_dim = a.nope_head_dim + a.rope_head_dim;
    op.value_dim = a.value_head_dim;
    kv_row_values = a.kv_rank + a.rope_head_dim;
    op.flops = 2.0 * op.past_tokens * a.kv_rank * a.query_heads * (a.nope_head_dim + a.value_head_dim);
  } else {
    op.kv_heads = a.kv_heads;
    op.head_dim = op.value_dim = a.head_dim;
    kv_row_values = 2.0 * a.kv_heads * a.head_dim;
  }
  op.flops += 2.0 * a.query_heads * (op.head_dim + op.value_dim) * pairs;
  const double reach = a.window_tokens > 0 ? std::min<double>(op.past_tokens, a.window_tokens) : op.past_tokens;
  op.bytes = op.new_tokens * a.query_heads * (op.head_dim + op.value_dim) * bytes_per_value +
             (op.new_tokens + reach) * kv_row_values * (hardware::bits(model.kv) / 8.0);
  return op;
}

std::int64_t attended_tokens(const AttentionShape& a, std::int64_t context_tokens) {
  switch (a.kind) {
    case AttentionKind::full:
    case AttentionKind::latent: return context_tokens;
    case AttentionKind::sliding: return std::min<std::int64_t>(context_tokens, a.window_tokens);
    case AttentionKind::chunked: return (context_tokens - 1) % a.window_tokens + 1;
  }
  invariant(false, "an attention kind attends to something");
  return 0;
}

namespace {

/// Sum of attended_tokens over contexts 1 … length.
double attended_up_to(const AttentionShape& a, double length) {
  const auto triangle = [](double n) { return n * (n + 1) / 2; };
  const double window = a.window_tokens;
  switch (a.kind) {
    case AttentionKind::full:
    case AttentionKind::latent: return triangle(length);
    case AttentionKind::sliding: return length <= window ? triangle(length) : triangle(window) + (length - window) * window;
    case AttentionKind::chunked: {
      const double chunks = std::floor(length / window);
      return chunks * triangle(window) + triangle(length - chunks * window);
    }
  }
  invariant(false, "an attention kind attends to something");
  return 0;
}

}  // namespace

double attended_pairs(const AttentionShape& a, std::int64_t new_tokens, std::int64_t past_tokens) {
  const double past = static_cast<double>(past_tokens);
  return attended_up_to(a, past + static_cast<double>(new_tokens)) - attended_up_to(a, past);
}

}  // namespace rackwright::llm
