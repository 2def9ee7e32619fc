#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/time.h"

namespace rackwright::traces {

/// A reading of a log's clock, exact to the picosecond: since 1970-01-01 UTC for calendar and epoch times,
/// since the log's own zero otherwise. Wider than SimTime, which ends 106 days from its zero.
struct Instant {
  std::int64_t seconds = 0;
  std::int64_t ps = 0;  ///< In [0, 1e12).

  constexpr auto operator<=>(const Instant&) const = default;
};

/// Saturates at the ends of SimTime.
SimTime operator-(Instant later, Instant earlier);
Instant operator+(Instant start, SimTime length);

enum class TimeUnit { automatic, seconds, milliseconds, microseconds, nanoseconds, picoseconds };

std::string_view to_string(TimeUnit unit);
/// From "s", "ms", "us", "ns", "ps" or "auto".
std::optional<TimeUnit> find_time_unit(std::string_view symbol);

/// Reads a clock value as logs write it. Decimal digits are taken as written, without a detour over binary
/// fractions, and rounded to the picosecond.
/// - a number (int, decimal, or with an exponent) in `unit`; with `automatic`, one of at least 1e9 is time since
///   1970, in s below 1e11, ms below 1e14, us below 1e17, else ns; a smaller one has no known unit and is refused;
/// - "2023-11-16 18:15:46.6805900", "2024-05-10T00:00:00Z", "…+02:00", with 0 to 12 fraction digits, '-' or '/'
///   in the date; without a zone it counts as UTC; `unit` does not matter then;
/// - "18:15:46.68": since midnight, so a clock that wraps every day.
/// Nothing, and a sentence in `problem`, when the text is neither.
std::optional<Instant> parse_instant(std::string_view text, TimeUnit unit, std::string& problem);

/// "2023-11-16 18:15:46.68059 UTC" for a reading past 1973 (1e8 s), else "5 s".
std::string to_string(Instant instant);

}  // namespace rackwright::traces
