#pragma once

#include <array>
#include <limits>

#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// Two halves of a batch that take turns in every layer: while one computes, the other communicates (two-batch overlap).
///
/// A half goes through attention a, the exchange d, experts m (or the feed-forward network) and the exchange c. While a of one
/// half runs, the other is in d or c, and so for m: a layer of both takes max(a, d) + max(m, d) + max(m, c) + max(a, c). Over all
/// layers, with A, M, D and C the sums of both halves,
///
///   T = ½ (max(A, D) + max(M, D) + max(M, C) + max(A, C)).
///
/// Layers are taken alike, and A is all computing that is not M: shared experts, first dense layers and LM head too.
struct BatchTurns {
  double second_sm_s = 0;      ///< Of M, bound by the SM clock,
  double second_memory_s = 0;  ///< and by memory.
  std::array<double, provenance_count> first_exchange{};   ///< D, by where its time came from.
  std::array<double, provenance_count> second_exchange{};  ///< C.

  double exchange_s() const;
  void add_scaled(const BatchTurns& more, double factor);
};

/// T as a straight line of all computing: constant + slope · computing, until computing reaches `end_s`. Without turns it is
/// computing itself.
struct TurnLine {
  double constant_s = 0;
  double slope = 1;
  double end_s = std::numeric_limits<double>::infinity();
};

/// At `computing_s` in all, with SMs at `speed` of what the times hold for.
TurnLine turn_line(const BatchTurns& turns, double computing_s, double speed);

}  // namespace rackwright::cost
