#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace rackwright {

/// Simulated time, or a length of it, in whole picoseconds.
///
/// An integer, so that sums do not depend on their order and a jump over a million steps
/// ends on the same instant as a million steps do. 64 bits reach 106 days.
struct SimTime {
  std::int64_t ps = 0;

  static constexpr SimTime max() { return {std::numeric_limits<std::int64_t>::max()}; }

  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime& operator+=(SimTime other) { ps += other.ps; return *this; }
  constexpr SimTime& operator-=(SimTime other) { ps -= other.ps; return *this; }
  friend constexpr SimTime operator+(SimTime a, SimTime b) { return {a.ps + b.ps}; }
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return {a.ps - b.ps}; }
  friend constexpr SimTime operator*(SimTime a, std::int64_t n) { return {a.ps * n}; }
  friend constexpr SimTime operator*(std::int64_t n, SimTime a) { return {a.ps * n}; }

  /// Seconds, for output and for arithmetic that leaves the calendar; the nearest double (hence a division).
  constexpr double seconds() const { return static_cast<double>(ps) / 1e12; }
};

inline constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;

/// Nearest picosecond to `seconds` (s, finite, at most 106 days in size; beyond that it saturates).
SimTime sim_time(double seconds);

}  // namespace rackwright
