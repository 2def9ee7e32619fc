#include "traces/text/instant.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace rackwright::traces {
namespace {

constexpr std::int64_t ps_per_s = picoseconds_per_second;
constexpr std::int64_t seconds_per_day = 86'400;
/// Five thousand years: past any date, and far from overflow in the sums below.
constexpr std::int64_t most_seconds = 200'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::int64_t ps_in(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::milliseconds: return 1'000'000'000;
    case TimeUnit::microseconds: return 1'000'000;
    case TimeUnit::nanoseconds: return 1'000;
    case TimeUnit::picoseconds: return 1;
    case TimeUnit::automatic:
    case TimeUnit::seconds: break;
  }
  return ps_per_s;
}

/// The unit of a time since 1970 by its size; none below 1e9 (which in s is the year 2001).
std::optional<TimeUnit> epoch_unit(std::uint64_t whole) {
  if (whole >= 100'000'000'000'000'000u) return TimeUnit::nanoseconds;
  if (whole >= 100'000'000'000'000u) return TimeUnit::microseconds;
  if (whole >= 100'000'000'000u) return TimeUnit::milliseconds;
  if (whole >= 1'000'000'000u) return TimeUnit::seconds;
  return std::nullopt;
}

/// The digits behind a decimal point, as picoseconds of a unit that has `ps_per_unit`; halves round up.
std::int64_t fraction_ps(std::string_view digits, std::int64_t ps_per_unit) {
  std::int64_t ps = 0;
  std::int64_t digit_ps = ps_per_unit;
  for (const char digit : digits) {
    if (digit_ps == 1) return ps + (digit >= '5' ? 1 : 0);
    digit_ps /= 10;
    ps += digit_ps * (digit - '0');
  }
  return ps;
}

/// `whole` units and the decimal `fraction` of one, as an instant. Nothing when it leaves the calendar.
std::optional<Instant> from_decimal(bool negative, std::uint64_t whole, std::string_view fraction, TimeUnit unit) {
  const std::int64_t ps_per_unit = ps_in(unit);
  const auto units_per_s = static_cast<std::uint64_t>(ps_per_s / ps_per_unit);
  const std::uint64_t seconds = whole / units_per_s;
  if (seconds > static_cast<std::uint64_t>(most_seconds)) return std::nullopt;
  Instant instant{static_cast<std::int64_t>(seconds), static_cast<std::int64_t>(whole % units_per_s) * ps_per_unit};
  instant.ps += fraction_ps(fraction, ps_per_unit);
  if (instant.ps >= ps_per_s) {
    instant.ps -= ps_per_s;
    ++instant.seconds;
  }
  if (!negative) return instant;
  instant.seconds = -instant.seconds;
  if (instant.ps > 0) {
    instant.seconds -= 1;
    instant.ps = ps_per_s - instant.ps;
  }
  return instant;
}

std::optional<Instant> parse_number(std::string_view text, TimeUnit unit, std::string& problem) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::uint64_t whole = 0;
  const auto [stop, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), whole);
  std::string_view fraction;
  bool plain = failure == std::errc{};
  if (plain) {
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    if (rest.starts_with('.')) {
      fraction = rest.substr(1);
      for (const char c : fraction) plain = plain && is_digit(c);
    } else {
      plain = rest.empty();
    }
  }
  if (!plain) {
    double value = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (bad != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || std::abs(value) >= 1e19) {
      problem = fmt::format("'{}' is not a time", text.substr(0, 40));
      return std::nullopt;
    }
    return parse_number(fmt::format("{:.12f}", value), unit, problem);
  }
  if (unit == TimeUnit::automatic) {
    const std::optional<TimeUnit> guessed = epoch_unit(whole);
    if (!guessed) {
      problem = fmt::format("'{}' could be seconds, milliseconds or anything else: the unit of time must be stated", text);
      return std::nullopt;
    }
    unit = *guessed;
  }
  const std::optional<Instant> instant = from_decimal(negative, whole, fraction, unit);
  if (!instant) problem = fmt::format("'{}' is past any calendar", text);
  return instant;
}

/// Takes exactly `count` digits from the front.
bool take_digits(std::string_view& text, std::size_t count, int& value) {
  if (text.size() < count) return false;
  value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return false;
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// "Z", "+00:00", "-0730", "+02", " UTC" or nothing.
bool take_zone(std::string_view& text, std::int64_t& offset_s) {
  offset_s = 0;
  if (text.empty() || text == "Z" || text == "z" || text == " UTC" || text == " Z") {
    text = {};
    return true;
  }
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return false;
  const int sign = text.front() == '-' ? -1 : 1;
  int hours = 0;
  int minutes = 0;
  if (!take(text, "+-") || !take_digits(text, 2, hours)) return false;
  if (!text.empty()) {
    take(text, ":");
    if (!take_digits(text, 2, minutes)) return false;
  }
  offset_s = sign * (hours * 3600 + minutes * 60);
  return text.empty() && hours < 24 && minutes < 60;
}

/// "18:15:46.5" from the front of `text`.
bool take_time_of_day(std::string_view& text, Instant& instant) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!take_digits(text, 2, hour) || !take(text, ":") || !take_digits(text, 2, minute) || !take(text, ":") ||
      !take_digits(text, 2, second) || hour > 23 || minute > 59 || second > 60) {  // 60: a leap second.
    return false;
  }
  instant.seconds += hour * 3600 + minute * 60 + second;
  if (!take(text, ".,")) return true;
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  instant.ps = fraction_ps(text.substr(0, digits), ps_per_s);
  if (instant.ps == ps_per_s) {
    instant.ps = 0;
    ++instant.seconds;
  }
  text.remove_prefix(digits);
  return digits > 0;
}

std::optional<Instant> parse_calendar(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!take_digits(text, 4, year) || !take(text, "-/") || !take_digits(text, 2, month) || !take(text, "-/") ||
      !take_digits(text, 2, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  Instant instant{std::chrono::sys_days(date).time_since_epoch().count() * seconds_per_day, 0};
  std::int64_t offset_s = 0;
  if (!take(text, "Tt _") || !take_time_of_day(text, instant) || !take_zone(text, offset_s)) return std::nullopt;
  instant.seconds -= offset_s;
  return instant;
}

constexpr auto unit_symbols = std::to_array<std::pair<std::string_view, TimeUnit>>(
    {{"auto", TimeUnit::automatic}, {"s", TimeUnit::seconds}, {"ms", TimeUnit::milliseconds},
     {"us", TimeUnit::microseconds}, {"ns", TimeUnit::nanoseconds}, {"ps", TimeUnit::picoseconds}});

}  // namespace

SimTime operator-(Instant later, Instant earlier) {
  const std::int64_t seconds = later.seconds - earlier.seconds;
  constexpr std::int64_t most = SimTime::max().ps / ps_per_s - 1;
  if (seconds >= most) return SimTime::max();
  if (seconds <= -most) return {-SimTime::max().ps};
  return {seconds * ps_per_s + later.ps - earlier.ps};
}

Instant operator+(Instant start, SimTime length) {
  std::int64_t seconds = start.seconds + length.ps / ps_per_s;
  std::int64_t ps = start.ps + length.ps % ps_per_s;
  if (ps < 0) {
    ps += ps_per_s;
    --seconds;
  } else if (ps >= ps_per_s) {
    ps -= ps_per_s;
    ++seconds;
  }
  return {seconds, ps};
}

std::string_view to_string(TimeUnit unit) {
  for (const auto& [symbol, known] : unit_symbols) {
    if (known == unit) return symbol;
  }
  return "auto";
}

std::optional<TimeUnit> find_time_unit(std::string_view symbol) {
  for (const auto& [known, unit] : unit_symbols) {
    if (known == symbol) return unit;
  }
  return std::nullopt;
}

std::optional<Instant> parse_instant(std::string_view text, TimeUnit unit, std::string& problem) {
  std::optional<Instant> instant;
  if (text.size() >= 8 && text[2] == ':') {
    std::string_view rest = text;
    Instant time_of_day;
    if (take_time_of_day(rest, time_of_day) && rest.empty()) instant = time_of_day;
  } else if (text.size() >= 8 && (text[4] == '-' || text[4] == '/')) {
    instant = parse_calendar(text);
  } else {
    return parse_number(text, unit, problem);
  }
  if (!instant) problem = fmt::format("'{}' is not a date and time", text.substr(0, 40));
  return instant;
}

std::string to_string(Instant instant) {
  constexpr std::int64_t calendar_from_s = 100'000'000;
  std::string fraction = fmt::format(".{:012}", instant.ps);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (fraction == ".") fraction.clear();
  if (instant.seconds < calendar_from_s) return fmt::format("{}{} s", instant.seconds, fraction);
  const std::chrono::sys_days day{std::chrono::days(instant.seconds / seconds_per_day)};
  const std::chrono::year_month_day date(day);
  const std::int64_t in_day = instant.seconds % seconds_per_day;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), in_day / 3600,
                     in_day / 60 % 60, in_day % 60, fraction);
}

}  // namespace rackwright::traces
