#include "traces/readers/wrapping_clock.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace rackwright::traces {
namespace {

constexpr SimTime us{1'000'000};
constexpr SimTime ms{1'000'000'000};
constexpr std::array<SimTime, 5> usual_periods{(std::int64_t{1} << 31) * us, (std::int64_t{1} << 32) * us,
                                               86'400 * SimTime{picoseconds_per_second}, (std::int64_t{1} << 31) * ms,
                                               (std::int64_t{1} << 32) * ms};

/// The period that a fall from `before` to `now` betrays: from its last tenth to its first.
std::optional<SimTime> recognise(Instant before, Instant now) {
  const SimTime high = before - Instant{};
  const SimTime low = now - Instant{};
  if (low < SimTime{}) return std::nullopt;
  for (const SimTime period : usual_periods) {
    const SimTime tenth{period.ps / 10};
    if (high < period && high > period - tenth && low < tenth) return period;
  }
  return std::nullopt;
}

/// A sum of two spans since the clock's zero; no SimTime, since many wraps exceed its 106 days.
Instant sum(Instant a, Instant b) {
  const std::int64_t ps = a.ps + b.ps;
  return {a.seconds + b.seconds + ps / picoseconds_per_second, ps % picoseconds_per_second};
}

}  // namespace

Instant WrappingClock::unwrap(Instant reading, bool& wrapped) {
  wrapped = false;
  if (!newest_) {
    newest_ = largest_reading_ = reading;
    return reading;
  }
  if (!period_ && reading < largest_reading_) period_ = recognise(largest_reading_, reading);
  Instant unwrapped = sum(reading, offset_);
  if (period_) {
    const SimTime half{period_->ps / 2};
    const SimTime behind = *newest_ - unwrapped;
    if (behind > half) {
      wrapped = true;
      offset_ = offset_ + *period_;
      largest_reading_ = reading;
      unwrapped = sum(reading, offset_);
    } else if (behind < SimTime{} - half && offset_ > Instant{}) {
      unwrapped = unwrapped + (SimTime{} - *period_);  // A late row from before the wrap.
    }
  }
  largest_reading_ = std::max(largest_reading_, reading);
  newest_ = std::max(*newest_, unwrapped);
  return unwrapped;
}

}  // namespace rackwright::traces
