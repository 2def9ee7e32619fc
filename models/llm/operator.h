#pragma once

#include <cstdint>
#include <string_view>

#include "models/hardware/number_format.h"
#include "models/llm/weight_format.h"

namespace rackwright::llm {

/// What bounds an operator, and which measurements apply to it.
enum class OperatorClass { gemm, grouped_gemm, prefill_attention, decode_attention, memory, collective };

enum class OperatorKind {
  embedding,
  norm,               ///< Residual add and RMS norm.
  qkv_projection,
  query_down,         ///< Latent attention: hidden to compressed query.
  query_up,           ///< Latent attention: to query heads.
  kv_down,            ///< Latent attention: hidden to compressed row.
  kv_up,              ///< Latent attention: between compressed rows and heads, expanded or absorbed.
  qk_norm,            ///< RMS norm over query and key heads.
  rope,               ///< Rotary embedding, with the write of K and V into their pages.
  prefill_attention,
  decode_attention,
  output_projection,
  gate_up,
  activation,
  down,
  router,
  route,              ///< Choice of experts from the router's logits.
  permute,            ///< Copies each token's row to its experts.
  expert_gate_up,
  expert_activation,
  expert_down,
  combine,            ///< Weighted sum of the experts' rows.
  shared_gate_up,
  shared_activation,
  shared_down,
  lm_head,
  sampling,
  all_reduce,
  all_gather,
  all_to_all,
  send,
  reduce_scatter,
  broadcast,
};

std::string_view to_string(OperatorKind kind);
std::string_view to_string(OperatorClass operator_class);
OperatorClass class_of(OperatorKind kind);
/// Whether it is part of a layer's feed-forward networks or of its experts, their routers included.
bool is_feed_forward(OperatorKind kind);

/// One kernel (or a few that belong together) on one device, `count` times in a step.
/// Figures are of one call. Numbers of rows are doubles because expectations are.
struct Operator {
  OperatorKind kind = OperatorKind::norm;
  int count = 1;
  int kernels = 1;  ///< Launches of one call.
  hardware::NumberFormat format = hardware::NumberFormat::bf16;  ///< Of the multiplication.
  double flops = 0;
  double bytes = 0;  ///< Compulsory traffic to and from device memory.

  // gemm and grouped_gemm: y[m,n] = x[m,k] · W[n,k]ᵀ. Grouped: m rows over `groups` experts that have any.
  double m = 0;
  int n = 0;
  int k = 0;
  double groups = 1;
  WeightFormat weights = WeightFormat::bf16;  ///< As they lie in memory; `bytes` counts them so.

  // Attention. Latent attention has head_dim = row width, value_dim = its compressed part, kv_heads = 1.
  int query_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int value_dim = 0;
  double sequences = 0;
  double new_tokens = 0;   ///< Prefill: tokens computed by each sequence.
  double past_tokens = 0;  ///< Prefill: tokens before them.
  double context_tokens = 0;  ///< Decode: sum over sequences of the tokens attended.
  hardware::NumberFormat kv = hardware::NumberFormat::bf16;  ///< Of the cache; `bytes` counts it so.

  // memory: `tokens` rows of `width` elements.
  double tokens = 0;
  int width = 0;

  // collective: the size of one rank's whole buffer, and how many ranks take part.
  double message_bytes = 0;
  int ranks = 1;
  double network_bytes = 0;  ///< All-to-all that nodes pass on inside: what a rank sends to other nodes; message_bytes then stay inside.
};

}  // namespace rackwright::llm
