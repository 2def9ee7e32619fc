#include "tests/support/catch.h"
#include "traces/readers/wrapping_clock.h"
#include "traces/text/instant.h"

using namespace rackwright;
using namespace rackwright::traces;

namespace {

std::optional<Instant> parse(std::string_view text, TimeUnit unit = TimeUnit::automatic) {
  std::string problem;
  const auto instant = parse_instant(text, unit, problem);
  CHECK(instant.has_value() == problem.empty());
  return instant;
}

constexpr SimTime seconds(std::int64_t s) { return s * SimTime{picoseconds_per_second}; }

}  // namespace

TEST_CASE("A calendar time is exact whatever its fraction digits, separator and zone") {
  // date -u -d '2023-11-16 18:15:46' +%s = 1700158546
  CHECK(parse("2023-11-16 18:15:46.6805900") == Instant{1'700'158'546, 680'590'000'000});  // Azure 2023: 7 digits
  CHECK(parse("2023-11-16 18:15:46.680590+00:00") == Instant{1'700'158'546, 680'590'000'000});  // Azure 2024: 6 digits
  CHECK(parse("2023-11-16T18:15:46.269Z") == Instant{1'700'158'546, 269'000'000'000});  // Azure 2025: 3 digits
  CHECK(parse("2023-11-16 18:15:46+00:00") == Instant{1'700'158'546, 0});  // Azure 2024: no fraction at all
  CHECK(parse("2023/11/16 18:15:46") == Instant{1'700'158'546, 0});
  CHECK(parse("2023-11-16T20:15:46+02:00") == Instant{1'700'158'546, 0});
  CHECK(parse("2023-11-16T10:45:46-0730") == Instant{1'700'158'546, 0});
  CHECK(parse("2024-02-29 00:00:00 UTC") == Instant{1'709'164'800, 0});
  CHECK(parse("1969-12-31 23:59:59.5") == Instant{-1, 500'000'000'000});
}

TEST_CASE("A number is read in its unit digit by digit, without a detour over binary fractions") {
  CHECK(parse("19440110.0", TimeUnit::seconds) == Instant{19'440'110, 0});  // BurstGPT: float text
  CHECK(parse("5", TimeUnit::seconds) == Instant{5, 0});
  CHECK(parse("61.114", TimeUnit::seconds) == Instant{61, 114'000'000'000});
  CHECK(parse("2999", TimeUnit::milliseconds) == Instant{2, 999'000'000'000});
  CHECK(parse("1544712660000000001", TimeUnit::nanoseconds) == Instant{1'544'712'660, 1'000});  // past 2^53
  CHECK(parse("1.5e3", TimeUnit::milliseconds) == Instant{1, 500'000'000'000});
  CHECK(parse("-0.25", TimeUnit::seconds) == Instant{-1, 750'000'000'000});
  CHECK(parse("+3", TimeUnit::seconds) == Instant{3, 0});
  // Python float noise: nearest picosecond, here upwards.
  CHECK(parse("199.96150599999999", TimeUnit::seconds) == Instant{199, 961'506'000'000});
  CHECK(parse("0.9999999999999", TimeUnit::seconds) == Instant{1, 0});
}

TEST_CASE("Without a unit the size of a time since 1970 tells it, and a small number is refused") {
  const Instant instant{1'700'158'546, 0};
  CHECK(parse("1700158546") == instant);
  CHECK(parse("1700158546000") == instant);
  CHECK(parse("1700158546000000") == instant);
  CHECK(parse("1700158546000000000") == instant);
  CHECK(parse("1777142838.338653") == Instant{1'777'142'838, 338'653'000'000});
  CHECK_FALSE(parse("3600"));
}

TEST_CASE("What is no time is refused with the text") {
  for (const std::string_view text : {"", "soon", "2023-13-01 00:00:00", "2023-02-29 00:00:00", "2023-11-16 24:00:00", "1e400",
                                      "nan", "inf", "12abc", "2023-11-16", "99:00:00", "1e25", "--5", "2023-11-16 18:15:46.", "."}) {
    CAPTURE(text);
    CHECK_FALSE(parse(text, TimeUnit::seconds));
  }
}

TEST_CASE("A difference of instants is exact and ends with simulated time") {
  CHECK(Instant{10, 1} - Instant{8, 999'999'999'999} == SimTime{picoseconds_per_second + 2});
  CHECK(Instant{1'700'000'000, 0} - Instant{} == SimTime::max());  // 54 years
  CHECK(Instant{} - Instant{1'700'000'000, 0} < SimTime{});
  CHECK(Instant{5, 999'999'999'999} + SimTime{2} == Instant{6, 1});
  CHECK(Instant{5, 0} + SimTime{-1} == Instant{4, 999'999'999'999});
}

TEST_CASE("An instant is written as a calendar time or as seconds") {
  CHECK(to_string(Instant{1'700'158'546, 680'590'000'000}) == "2023-11-16 18:15:46.68059 UTC");
  CHECK(to_string(Instant{5, 0}) == "5 s");
  CHECK(to_string(Instant{0, 250'000'000'000}) == "0.25 s");
}

TEST_CASE("A time of day goes on past midnight, and a late row from before midnight stays there") {
  WrappingClock clock(std::nullopt);
  bool wrapped = false;
  std::string problem;
  const auto read = [&](std::string_view text) { return clock.unwrap(*parse_instant(text, TimeUnit::seconds, problem), wrapped) - Instant{}; };
  CHECK(read("23:59:58.5") == SimTime{86'398'500'000'000'000});
  CHECK_FALSE(wrapped);
  CHECK(read("00:00:01") == seconds(86'401));
  CHECK(wrapped);
  CHECK(read("23:59:59") == seconds(86'399));
  CHECK_FALSE(wrapped);
  CHECK(read("00:00:02") == seconds(86'402));
  CHECK_FALSE(wrapped);
}

TEST_CASE("A 32-bit counter of microseconds goes on past its end") {
  // 2^32 us = 4294.967296 s.
  WrappingClock clock(std::nullopt);
  bool wrapped = false;
  CHECK(clock.unwrap({4'290, 0}, wrapped) == Instant{4'290, 0});
  CHECK(clock.unwrap({1, 0}, wrapped) == Instant{4'295, 967'296'000'000});
  CHECK(wrapped);
}

TEST_CASE("A clock that falls without a known period has not wrapped") {
  WrappingClock clock(std::nullopt);
  bool wrapped = false;
  clock.unwrap({50'000, 0}, wrapped);
  CHECK(clock.unwrap({10, 0}, wrapped) == Instant{10, 0});
  CHECK_FALSE(wrapped);
}

TEST_CASE("A stated period is used for any fall of more than half of it, over and over") {
  WrappingClock clock(seconds(100));
  bool wrapped = false;
  int wraps = 0;
  // Every 30 s, seen on a clock of 100 s.
  for (std::int64_t t = 0; t < 3'000; t += 30) {
    CHECK(clock.unwrap({t % 100, 0}, wrapped) == Instant{t, 0});
    wraps += wrapped ? 1 : 0;
  }
  CHECK(wraps == 29);
}
