#include <algorithm>
#include <map>
#include <tuple>

#include "models/base/random.h"
#include "sim/engine/calendar.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::engine;

namespace {

struct Silent : EventHandler {
  void on_event(std::uint64_t) override {}
};

}  // namespace

TEST_CASE("The calendar agrees with an ordered map under any mix of adding, cancelling and taking") {
  const std::uint64_t seed = GENERATE(range(1, 21));
  CAPTURE(seed);
  RandomStream random(seed, "calendar", "mix");
  Calendar calendar;
  Silent handler;
  using Rank = std::tuple<SimTime, Phase, std::uint32_t, std::uint64_t>;
  std::map<Rank, EventId> expected;  // The token is the creation.
  SimTime now;
  std::uint64_t creations = 0;
  for (int step = 0; step < 5'000; ++step) {
    const std::uint64_t dice = random() % 10;
    if (dice < 5 || expected.empty()) {
      // Few different times, phases and entities, so that ties are common.
      const SimTime when = now + SimTime{static_cast<std::int64_t>(random() % 8)};
      const auto phase = static_cast<Phase>(random() % 6);
      const auto entity = static_cast<std::uint32_t>(random() % 3);
      expected[{when, phase, entity, creations}] = calendar.add(when, phase, entity, handler, creations);
      ++creations;
    } else if (dice < 8) {
      auto victim = expected.begin();
      std::advance(victim, random() % expected.size());
      REQUIRE(calendar.cancel(victim->second));
      REQUIRE_FALSE(calendar.cancel(victim->second));
      expected.erase(victim);
    } else {
      const Rank first = expected.begin()->first;
      REQUIRE(calendar.first_time() == std::get<SimTime>(first));
      const Calendar::Event event = calendar.take();
      REQUIRE(event.when == std::get<SimTime>(first));
      REQUIRE(event.token == std::get<std::uint64_t>(first));
      now = event.when;
      expected.erase(expected.begin());
    }
    REQUIRE(calendar.empty() == expected.empty());
  }
}
