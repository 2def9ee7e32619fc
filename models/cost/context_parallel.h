#pragma once

#include <cstdint>

#include "models/cost/operator_cost.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// How the keys and values of a prompt reach all devices that share it.
///  ring        blocks go around while each device attends to the one that it has (Liu et al., arXiv:2310.01889)
///  all_gather  each device gathers those of a layer before it attends to any (Llama 3, arXiv:2407.21783)
enum class ContextExchange { ring, all_gather };

/// Attention of one layer over a chunk of a prompt on one of C devices that share it. Each has 1/C of the chunk's queries, cut so
/// that all see as many keys (the first and the last piece together, and so on), and 1/C of the keys and values. The exchange:
///
///   ring        C rounds of a C-th of the attention, blocks passed meanwhile:  link = (C − 1) · max(0, t_block − t_attention / C)
///   all_gather  link = t_all_gather(all keys and values)
///
/// t_block is a C − 1-th of the all-gather. Layers with a window pass at most that many tokens. Latent attention passes expanded
/// heads. Not modelled: more kernels of less work each, and rounds that a causal mask leaves empty.
OperatorCost shared_prefill_attention(const OperatorCostModel& model, const llm::ShardedShape& sharded, const llm::LayerShape& layer,
                                      std::int64_t new_tokens, std::int64_t past_tokens, ContextExchange exchange);

/// What it takes all layers to bring the parts of decode attention together, when each of the devices has a part of every
/// sequence's KV: the queries are gathered, and the partial results, with maximum and sum of each head in fp32, are reduced and
/// scattered (Infinite-LLM, arXiv:2401.02669). Nothing without context parallelism.
Work decode_exchange(const OperatorCostModel& model, const llm::ShardedShape& sharded, int sequences);

}  // namespace rackwright::cost
