#pragma once

#include <cstdint>
#include <span>

#include "models/cost/decode_table.h"
#include "models/cost/operator_cost.h"
#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// The work of decode steps while their batch ages: that of step k from now is zero + (age + k) · growth, for `steps`
/// steps. `age` is the mean context, so that the line is the same, bit for bit, wherever on it a stretch begins.
struct DecodeStretch {
  static constexpr std::int64_t longest = 512;  ///< Power is held along a stretch.

  Work zero;
  Work growth;
  std::int64_t age = 0;
  std::int64_t steps = 1;

  Work after(std::int64_t k) const;
};

/// What one device attends to of a batch of decodes.
struct DecodeShare {
  int sequences = 1;  ///< At once.
  int times = 1;      ///< One after another: the parts of a batch that is cut.
  int context = 1;    ///< Devices that share the KV of each sequence.
};

/// Adds the decode attention of a step. Tables are read for the share's sequences of the batch's mean context; an
/// uneven batch adds uneven_share · (t(max) − t(mean)) of one sequence. Shortens the stretch to where a table, a window or a
/// chunk bends the line.
void add_decode_attention(std::span<const DecodeTable> tables, const StepShape& step, const DecodeShare& share, double uneven_share,
                          DecodeStretch& stretch);

/// Steps from `tokens`, growing by `growth` a step, until `end` is reached; at least 1, at most `most`.
std::int64_t steps_until(double end, double tokens, double growth, std::int64_t most);

}  // namespace rackwright::cost
