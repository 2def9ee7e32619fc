#pragma once

#include <cstdint>
#include <limits>

#include "models/base/random.h"

namespace rackwright::serving {

/// How many drafted tokens the target model accepts.
///
/// A drafted token is accepted with the request's own probability α, and a rejected one ends the cycle; the target's own
/// next token follows in any case. A cycle of γ drafted tokens therefore gives (1 − α^(γ+1)) / (1 − α) tokens on average
/// (Leviathan et al. 2211.17192, eq. 1). Draws are keyed by (request, token), so that they do not depend on who runs
/// beside it, or on how often it was preempted. Not modelled: acceptance that changes along an answer.
class Speculation {
 public:
  /// `drafted_tokens` γ at least 1; `mean` of α over requests in [0, 1]; requests that bring none of their own draw theirs from a beta distribution with
  /// parameters mean · concentration and (1 − mean) · concentration, or all have the mean when that is infinite.
  Speculation(std::uint64_t seed, int drafted_tokens, double mean, double concentration = std::numeric_limits<double>::infinity());

  int drafted_tokens() const { return drafted_tokens_; }
  /// Tokens that the next cycle of a request emits, 1 to γ + 1, when it has emitted `emitted`.
  /// `own`: its α, where it brings one; negative: drawn or the mean.
  std::int32_t tokens_of_cycle(std::uint64_t request, std::int32_t emitted, double own = -1) const;
  /// The request's α.
  double acceptance(std::uint64_t request) const;

 private:
  RandomStream tokens_;
  RandomStream requests_;
  int drafted_tokens_;
  double mean_;
  double concentration_;
};

}  // namespace rackwright::serving
