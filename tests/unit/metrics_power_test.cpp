#include <algorithm>
#include <map>
#include <vector>

#include "models/base/random.h"
#include "sim/metrics/peak_power.h"
#include "sim/metrics/power_tally.h"
#include "tests/support/catch.h"

using namespace rackwright;
using metrics::PeakPower;

namespace {

/// The peak by definition: a sweep over all changes at once.
struct Oracle {
  std::map<std::int64_t, std::int64_t> changes;
  void add(SimTime start, SimTime end, std::int64_t mw) {
    changes[start.ps] += mw;
    changes[end.ps] -= mw;
  }
  std::int64_t peak() const {
    std::int64_t level = 0;
    std::int64_t peak = 0;
    for (const auto& [at, by] : changes) peak = std::max(peak, level += by);
    return peak;
  }
};

}  // namespace

TEST_CASE("The peak of powers that overlap is their sum, and a change of guard adds nothing") {
  PeakPower peak;
  CHECK(peak.peak_mw() == 0);
  peak.add({0}, {10}, 700);
  peak.add({10}, {20}, 800);  // Starts as the first ends.
  CHECK(peak.peak_mw() == 800);
  peak.add({15}, {25}, 300);
  CHECK(peak.peak_mw() == 1100);
  peak.add({12}, {30}, 50);
  CHECK(peak.peak_mw() == 1150);
}

TEST_CASE("The peak stays exact over a hundred thousand intervals, with sources that are silent for long") {
  PeakPower peak;
  Oracle oracle;
  RandomStream random(3, "test", "power");
  const auto draw = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };

  struct Interval { SimTime start, end; std::int64_t mw; };
  std::vector<Interval> intervals;
  for (int source = 0; source < 6; ++source) {
    // The last sources take few, long intervals: they reach far into what was told before.
    const std::uint64_t length = source < 4 ? 1'000 : 4'000'000;
    for (std::int64_t at = draw(5'000); at < 20'000'000;) {
      const std::int64_t start = at + (draw(3) == 0 ? draw(length) : 0);
      const std::int64_t end = start + 1 + draw(length);
      intervals.push_back({{start}, {end}, draw(700)});
      at = end;
    }
  }
  std::ranges::stable_sort(intervals, {}, &Interval::end);
  for (const Interval& i : intervals) {
    peak.add(i.start, i.end, i.mw);
    oracle.add(i.start, i.end, i.mw);
  }
  REQUIRE(intervals.size() > 100'000);
  CHECK(peak.peak_mw() == oracle.peak());
}

TEST_CASE("Power over several racks is shared by devices and nothing is lost to rounding") {
  metrics::RunLayout layout;
  layout.instances = {{0, 100, {{0, 1}, {1, 2}}}};
  layout.rack_base_power_mw = {1'000, 0};
  metrics::PowerTally power(layout, 2);
  power.add(0, {0}, sim_time(2), 1'100);  // 1 000 mW above idle, for 2 s of 10.

  const SimTime measured = sim_time(10);
  // Rack 0: 1 000 + 33 idle, + 333 above; rack 1: 67 idle, + 667 above.
  CHECK(power.rack(0, measured).peak_w == Approx(1.366));
  CHECK(power.rack(1, measured).peak_w == Approx(0.734));
  CHECK(power.all(measured).peak_w == Approx(2.100));
  // 10 s · 1.1 W + 2 s · 1 W
  CHECK(power.all(measured).energy_j == Approx(13));
  CHECK(power.rack(0, measured).energy_j + power.rack(1, measured).energy_j == Approx(13));
  CHECK(power.all(measured).mean_w == Approx(1.3));
}
