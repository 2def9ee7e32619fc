#pragma once

#include <optional>

#include "traces/text/instant.h"

namespace rackwright::traces {

/// Undoes a clock that starts anew at 0 after a period.
class WrappingClock {
 public:
  /// Without a period, one is recognised (see TraceOptions::clock_period).
  explicit WrappingClock(std::optional<SimTime> period) : period_(period) {}

  /// The reading on a clock that goes on; `wrapped` tells whether the clock started anew with this row.
  Instant unwrap(Instant reading, bool& wrapped);
  std::optional<SimTime> period() const { return period_; }

 private:
  std::optional<SimTime> period_;
  Instant offset_;                 ///< What the past wraps add up to.
  std::optional<Instant> newest_;  ///< The latest reading so far, unwrapped.
  Instant largest_reading_;        ///< As written, since the last wrap.
};

}  // namespace rackwright::traces
