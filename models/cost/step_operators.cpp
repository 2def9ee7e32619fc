#include "models/cost/step_operators.h"

#include "models/llm/operator_graph.h"

namespace rackwright::cost {

std::vector<llm::Operator> step_operators(const llm::ShardedShape& sharded, const StepShape& step) {
  std::int64_t tokens = step.decode_sequences;
  std::int64_t rows = step.decode_sequences;
  for (const PrefillChunk& chunk : step.prefill) {
    tokens += chunk.new_tokens;
    rows += chunk.last ? 1 : 0;
  }
  std::vector<llm::Operator> operators = llm::token_operators(sharded, tokens);
  const double data = sharded.parallelism.data;
  for (const llm::LayerShape& layer : sharded.layers) {
    if (step.decode_sequences > 0) {
      double attended = 0;
      for (const std::int32_t context : step.decode_contexts) attended += static_cast<double>(llm::attended_tokens(layer.attention, context));
      if (step.decode_contexts.empty()) {
        const std::int64_t mean = step.decode_context_tokens / step.decode_sequences;
        attended = layer.attention.window_tokens == 0 ? static_cast<double>(step.decode_context_tokens)
                                                      : static_cast<double>(step.decode_sequences * llm::attended_tokens(layer.attention, mean));
      }
      operators.push_back(llm::decode_attention(sharded, layer, step.decode_sequences / data, attended / data));
    }
    for (const PrefillChunk& chunk : step.prefill)
      operators.push_back(llm::prefill_attention(sharded, layer, chunk.new_tokens, chunk.past_tokens));
  }
  const std::vector<llm::Operator> sampled = llm::row_operators(sharded, rows);
  operators.insert(operators.end(), sampled.begin(), sampled.end());
  return operators;
}

}  // namespace rackwright::cost
