#pragma once

#include <array>
#include <vector>

#include "models/cost/batch_turns.h"
#include "models/cost/step_cost.h"
#include "models/llm/operator.h"

namespace rackwright::cost {

/// What one call of an operator costs on one device, at the SM clock at which it was measured (the full one for a
/// datasheet). `clock` is that clock as a fraction of the full one, for the power that it draws.
struct OperatorCost {
  StepParts parts;
  double clock = 1;
  double memory_busy_s = 0;   ///< Bytes moved over peak bandwidth.
  double compute_busy_s = 0;  ///< Operations over the peak rate of their format.
  Provenance provenance = Provenance::datasheet;

  double seconds() const { return parts.sm_clock_s + parts.memory_s + parts.link_s + parts.host_s; }
};

/// Several prompt chunks and decodes that one kernel serves together.
struct MixedAttention {
  std::span<const PrefillChunk> prefill;
  double decode_sequences = 0;
  double decode_context_tokens = 0;  ///< Sum.
  double decode_context_max = 0;
};

/// Prices single operators of one device. Pure; never negative; seconds never fall when rows, tokens or bytes grow
/// beyond what was measured.
class OperatorCostModel {
 public:
  virtual ~OperatorCostModel() = default;

  virtual OperatorCost cost(const llm::Operator& op) const = 0;

  /// Mean contexts between which the cost of decode attention is a straight line, ascending, from that of `shortest`
  /// to that of `longest`: two calls with the same sequences.
  virtual std::vector<double> decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const = 0;

  /// Cost of one layer's attention over chunks and decodes together, where the model knows such a kernel for layers
  /// whose decode attention is `layer`.
  virtual bool has_mixed_attention(const llm::Operator& layer) const;
  virtual OperatorCost mixed_attention(const llm::Operator& layer, const MixedAttention& load) const;

  /// An uneven batch of n costs t(n, mean) + share · (t(1, longest) − t(1, mean)): partitions of the longest context run on
  /// when all others are done, as long as that sequence takes alone, not as long as n of its kind do.
  virtual double uneven_share() const { return 0; }
};

/// Mean context of a call of decode attention.
inline double mean_context(const llm::Operator& op) { return op.context_tokens / op.sequences; }

/// A sum of operator costs over a step, or a difference of two such sums.
struct Work {
  StepParts parts;
  double memory_busy_s = 0;
  double compute_busy_s = 0;  ///< Each operator's times its clock.
  double active_s = 0;        ///< Each operator's seconds times its clock.
  double kernels = 0;
  std::array<double, provenance_count> seconds{};  ///< By where they came from.
  BatchTurns turns;  ///< Communication that is not in `parts`, and what of them it passes beside.

  void add(const OperatorCost& cost, double times, double kernels_of_one);
  Work& operator+=(const Work& more);
  /// Adds `factor` times another sum.
  void add_scaled(const Work& more, double factor);
};

}  // namespace rackwright::cost
