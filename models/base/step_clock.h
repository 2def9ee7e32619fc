#pragma once

#include <cstdint>

#include "models/base/time.h"

namespace rackwright {

/// The step boundaries of a stretch whose step k (from 0) lasts duration + k · growth:
///
///   boundary(k) = start + k · duration + growth · k (k - 1) / 2
///
/// so that step k runs from boundary(k) to boundary(k + 1). All in whole picoseconds: summing k steps
/// one by one and jumping over them agree exactly. Saturates at `SimTime::max()`.
struct StepClock {
  SimTime start;
  SimTime duration;  ///< At least 1 ps.
  SimTime growth;    ///< At least 0.

  SimTime boundary(std::int64_t k) const;
  SimTime step_duration(std::int64_t k) const { return duration + growth * k; }

  /// The number of steps that have ended by `now` (their end included), at most `most`.
  /// `now` is not before `start`.
  std::int64_t steps_ended(SimTime now, std::int64_t most) const;
};

}  // namespace rackwright
