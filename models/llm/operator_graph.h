#pragma once

#include <cstdint>
#include <vector>

#include "models/llm/operator.h"
#include "models/llm/sharding.h"

namespace rackwright::llm {

/// The operators of one step on the device with the most to do, in three lists by what they depend on:
/// the step's tokens, its sampled rows, and the attention of its sequences. `count` covers all layers.
/// Operators run one after another; nothing overlaps but what a measured kernel overlaps inside.

/// All that passes every token through every layer, whatever its context: projections, norms, experts,
/// and the collectives between them. `tokens` are those of the whole instance; data ranks share them evenly.
/// Experts are chosen uniformly: of E experts, E·(1 − (1 − K/E)^tokens) have at least one token.
std::vector<Operator> token_operators(const ShardedShape& sharded, std::int64_t tokens);

/// LM head and greedy sampling of `rows` tokens of the whole instance, with the gathering of logits.
std::vector<Operator> row_operators(const ShardedShape& sharded, std::int64_t rows);

/// One call of decode attention in a layer of this kind: `sequences` of this data rank attend to
/// `context_tokens` in all, windows already taken off.
Operator decode_attention(const ShardedShape& sharded, const LayerShape& layer, double sequences, double context_tokens);

/// One call of causal prefill attention in a layer of this kind: one sequence computes `new_tokens`
/// after `past_tokens`.
Operator prefill_attention(const ShardedShape& sharded, const LayerShape& layer, std::int64_t new_tokens,
                           std::int64_t past_tokens);

/// Tokens that a query attends to when its sequence is `context_tokens` long, itself included.
std::int64_t attended_tokens(const AttentionShape& attention, std::int64_t context_tokens);

/// Sum of that over `new_tokens` queries after `past_tokens`.
double attended_pairs(const AttentionShape& attention, std::int64_t new_tokens, std::int64_t past_tokens);

}  // namespace rackwright::llm
