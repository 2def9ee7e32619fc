#include "models/cost/decode_stretch.h"

#include <algorithm>
#include <cmath>

#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

/// The tokens that a batch attends to in layers with a window, how many more after a step, and for how many steps
/// that stays so.
struct Attended {
  std::int64_t tokens = 0;
  std::int64_t growth = 0;
  std::int64_t steps = DecodeStretch::longest;

  void add(const llm::AttentionShape& attention, std::int64_t context, std::int64_t times) {
    const std::int64_t seen = llm::attended_tokens(attention, context);
    const std::int64_t room = attention.window_tokens - seen;
    tokens += times * seen;
    if (attention.kind == llm::AttentionKind::chunked) {
      growth += times;
      steps = std::min(steps, room + 1);  // The next chunk starts over.
    } else if (room > 0) {
      growth += times;
      steps = std::min(steps, room);
    }
  }
};

/// Adds one table at weight · f(tokens / divisor), where tokens grow by `growth` each step.
void add_term(const DecodeTable& table, int rank_sequences, double weight, std::int64_t tokens, std::int64_t growth,
              std::int64_t divisor, DecodeStretch& stretch) {
  const double n = static_cast<double>(divisor);
  const DecodeTable::Piece piece = table.piece(rank_sequences, static_cast<double>(tokens) / n);
  const double width = piece.right->tokens - piece.left->tokens;
  // At age zero the same for every step of the piece, bit for bit: integers, then the knots.
  const double at_zero = static_cast<double>(tokens - stretch.age * growth) / n;
  const double right_share = (at_zero - piece.left->tokens) / width;
  stretch.zero.add_scaled(piece.left->work, weight * (1 - right_share));
  stretch.zero.add_scaled(piece.right->work, weight * right_share);
  const double slope = weight * static_cast<double>(growth) / n / width;
  stretch.growth.add_scaled(piece.right->work, slope);
  stretch.growth.add_scaled(piece.left->work, -slope);
  if (!piece.last)
    stretch.steps = steps_until(piece.right->tokens * n, static_cast<double>(tokens), static_cast<double>(growth), stretch.steps);
}

}  // namespace

Work DecodeStretch::after(std::int64_t k) const {
  Work work = zero;
  work.add_scaled(growth, static_cast<double>(age + k));
  return work;
}

std::int64_t steps_until(double end, double tokens, double growth, std::int64_t most) {
  if (growth <= 0) return most;
  const double steps = std::ceil((end - tokens) / growth);
  return steps >= static_cast<double>(most) ? most : std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
}

void add_decode_attention(std::span<const DecodeTable> tables, const StepShape& step, const DecodeShare& share, double uneven_share,
                          DecodeStretch& stretch) {
  const std::int64_t sequences = step.decode_sequences;
  stretch.age = step.decode_context_tokens / sequences;
  const double uneven = step.decode_context_max * sequences > step.decode_context_tokens ? uneven_share : 0;
  for (const DecodeTable& table : tables) {
    if (table.attention().window_tokens == 0) {
      add_term(table, share.sequences, share.times, step.decode_context_tokens, sequences, sequences * share.context, stretch);
      if (uneven > 0) {
        add_term(table, 1, uneven, step.decode_context_max, 1, share.context, stretch);
        add_term(table, 1, -uneven, step.decode_context_tokens, sequences, sequences * share.context, stretch);
      }
      continue;
    }
    Attended attended;
    if (step.decode_contexts.empty()) attended.add(table.attention(), stretch.age, sequences);
    for (const std::int32_t context : step.decode_contexts) attended.add(table.attention(), context, 1);
    add_term(table, share.sequences, share.times, attended.tokens, attended.growth, sequences * share.context, stretch);
    stretch.steps = std::min(stretch.steps, attended.steps);
  }
}

}  // namespace rackwright::cost
