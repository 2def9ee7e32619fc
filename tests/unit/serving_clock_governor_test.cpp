#include "sim/serving/clock_governor.h"

#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/oracle_engine.h"

using namespace rackwright;
using namespace rackwright::serving;

namespace {

constexpr power::ClockControl control{.limit_mw = 700, .idle_mw = 100, .period = {1000}, .min_clock = 0.5, .clock_step = 1e-9};

/// Draws what it is told to at stated times, for a load whose power above idle falls with the square of the clock.
struct Load final : engine::EventHandler, GovernedClock {
  explicit Load(std::vector<std::pair<std::int64_t, std::int64_t>> powers_mw) : powers(std::move(powers_mw)) {
    for (std::size_t i = 0; i < powers.size(); ++i) engine.at({powers[i].first}, engine::Phase::dispatch, 0, *this, i);
    engine.run();
  }
  void on_event(std::uint64_t which) override {
    full_mw = powers[which].second;
    draw();
  }
  void set_sm_clock(double to) override {
    clock = to;
    clocks.emplace_back(engine.now().ps, to);
    draw();
  }
  void draw() { governor.draws(100 + std::llround(static_cast<double>(full_mw - 100) * clock * clock)); }

  tests::OracleEngine engine;
  ClockGovernor governor{control, engine, 7, *this};
  std::vector<std::pair<std::int64_t, std::int64_t>> powers;
  std::vector<std::pair<std::int64_t, double>> clocks;
  std::int64_t full_mw = 100;
  double clock = 1;
};

}  // namespace

TEST_CASE("A load below the limit, however long, makes no event of a governor") {
  const Load load({{0, 690}, {5'400, 700}, {9'000, 100}});
  CHECK(load.clocks.empty());
  CHECK(load.engine.events_run() == 3);
}

TEST_CASE("A burst above the limit in a period whose mean is below it costs no clock") {
  // 300 ps at 1,300 mW and 700 ps at 400 mW: 670 mW.
  const Load load({{1'000, 400}, {1'200, 1'300}, {1'500, 400}, {2'000, 100}});
  CHECK(load.clocks.empty());
}

TEST_CASE("A governor sees the mean over whole periods, sets the clock that would have held it, and gives it back") {
  // From 500 on 1,000 mW. At 1,000: mean (500·100 + 500·1,000) / 1,000 = 550 mW. At 2,000: 1,000 mW, so √(600/900).
  // There the power is 700 mW, so that the clock stays. From 4,250 on nothing: mean (250·700 + 750·100) / 1,000 = 250 mW.
  const Load load({{500, 1'000}, {4'250, 100}});
  REQUIRE(load.clocks.size() == 2);
  CHECK(load.clocks[0].first == 2'000);
  CHECK(load.clocks[0].second == Approx(std::sqrt(600.0 / 900)));
  CHECK(load.clocks[1] == std::pair<std::int64_t, double>(5'000, 1.0));
}

TEST_CASE("Power that changes at the very end of a period counts for the next") {
  // 1,300 mW from 1,000 on: seen at 2,000, not at 1,000.
  const Load load({{0, 700}, {1'000, 1'300}, {2'000, 100}});
  REQUIRE(load.clocks.size() == 2);
  CHECK(load.clocks[0].first == 2'000);
  CHECK(load.clocks[0].second == Approx(std::sqrt(600.0 / 1'200)));
  CHECK(load.clocks[1] == std::pair<std::int64_t, double>(3'000, 1.0));
}
