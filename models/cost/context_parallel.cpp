#include "models/cost/context_parallel.h"

#include <algorithm>

#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

using llm::AttentionKind;
using llm::AttentionShape;

double activation_bytes(const llm::ShardedShape& sharded) { return hardware::bits(sharded.model.activations) / 8.0; }

/// Bytes of one token's keys and values on this device, as they are passed on.
double passed_bytes(const llm::ShardedShape& sharded, const AttentionShape& a) {
  if (a.kind != AttentionKind::latent) return llm::kv_bytes_per_token(a, sharded.model.kv);
  return a.query_heads * (a.nope_head_dim + a.rope_head_dim + a.value_head_dim) * activation_bytes(sharded);
}

llm::Operator collective(llm::OperatorKind kind, double message_bytes, const llm::ShardedShape& sharded, int count) {
  llm::Operator op{.kind = kind, .count = count};
  op.message_bytes = message_bytes;
  op.ranks = sharded.parallelism.context;
  return op;
}

void divide(OperatorCost& cost, double by) {
  for (double* part : {&cost.parts.sm_clock_s, &cost.parts.memory_s, &cost.parts.host_s, &cost.memory_busy_s, &cost.compute_busy_s}) *part /= by;
}

}  // namespace

OperatorCost shared_prefill_attention(const OperatorCostModel& model, const llm::ShardedShape& sharded, const llm::LayerShape& layer,
                                      std::int64_t new_tokens, std::int64_t past_tokens, ContextExchange exchange) {
  const double ranks = sharded.parallelism.context;
  OperatorCost cost = model.cost(llm::prefill_attention(sharded, layer, new_tokens, past_tokens));
  if (ranks == 1) return cost;
  divide(cost, ranks);
  const AttentionShape& a = layer.attention;
  const double others = static_cast<double>(new_tokens + past_tokens) * (ranks - 1) / ranks;
  const double passed = a.window_tokens > 0 ? std::min<double>(others, a.window_tokens) : others;
  const double message_bytes = passed * ranks / (ranks - 1) * passed_bytes(sharded, a);
  const double gather_s = model.cost(collective(llm::OperatorKind::all_gather, message_bytes, sharded, 1)).parts.link_s;
  const double hidden_s = exchange == ContextExchange::ring ? (ranks - 1) / ranks * (cost.parts.sm_clock_s + cost.parts.memory_s) : 0;
  cost.parts.link_s = std::max(0.0, gather_s - hidden_s);
  return cost;
}

Work decode_exchange(const OperatorCostModel& model, const llm::ShardedShape& sharded, int sequences) {
  Work work;
  if (sharded.parallelism.context == 1) return work;
  for (const llm::LayerShape& layer : sharded.layers) {
    const llm::Operator attention = llm::decode_attention(sharded, layer, sequences, sequences);
    const double heads = static_cast<double>(sequences) * attention.query_heads;
    const double queries = heads * attention.head_dim * activation_bytes(sharded);
    const double results = heads * (attention.value_dim * activation_bytes(sharded) + 2 * 4.0);
    const llm::Operator gather = collective(llm::OperatorKind::all_gather, queries, sharded, attention.count);
    const llm::Operator reduce = collective(llm::OperatorKind::reduce_scatter, results, sharded, attention.count);
    for (const llm::Operator& op : {gather, reduce}) work.add(model.cost(op), op.count, op.kernels);
  }
  return work;
}

}  // namespace rackwright::cost
