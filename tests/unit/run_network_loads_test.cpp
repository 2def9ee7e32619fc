#include <numeric>

#include "sim/run/network_loads.h"
#include "tests/support/catch.h"

using namespace rackwright;

namespace {

results::Timeline bins(std::size_t count, double period_s, double end_s) {
  results::Timeline timeline;
  timeline.period_s = period_s;
  timeline.end_s = end_s;
  timeline.series.push_back({"arrivals_per_s", std::vector<double>(count)});
  return timeline;
}

const std::vector<fabric::LinkClassLoad> classes{{"nic", 0, 100}, {"tier 1-2", 0, 50}};

}  // namespace

TEST_CASE("What a transfer carries is spread over the bins it runs in, over what its links could carry in each") {
  // 100 bytes in 0.5 to 2.5 s: 25, 50 and 25 in bins of a second, of 100 B/s. The other kind of link carried nothing.
  run::NetworkLoads loads(2, std::nullopt);
  loads.on_traffic(0, 100, sim_time(0.5), sim_time(2.5));
  results::Timeline timeline = bins(3, 1, 3);
  loads.add_to(timeline, classes);
  REQUIRE(timeline.series.size() == 2);
  CHECK(timeline.series[1].key == "network.nic.utilization");
  CHECK(timeline.series[1].values == std::vector<double>{0.25, 0.5, 0.25});

  // The same in bins of two seconds, the last of which is one long.
  results::Timeline wide = bins(2, 2, 3);
  loads.add_to(wide, classes);
  CHECK(wide.series[1].values == std::vector<double>{0.375, 0.25});
}

TEST_CASE("Bins of link loads double where they would be more than two thousand, and lose nothing") {
  run::NetworkLoads loads(2, std::nullopt);
  for (int i = 0; i < 5'000; ++i) loads.on_traffic(1, 10, sim_time(i), sim_time(i + 1));
  results::Timeline timeline = bins(1250, 4, 5'000);
  loads.add_to(timeline, classes);
  REQUIRE(timeline.series.size() == 2);
  CHECK(timeline.series[1].key == "network.tier_1-2.utilization");
  const double sum = std::accumulate(timeline.series[1].values.begin(), timeline.series[1].values.end(), 0.0);
  CHECK(sum * 4 * 50 == Approx(50'000));
}

TEST_CASE("A given period of link loads stays as it is") {
  run::NetworkLoads loads(2, 0.25);
  loads.on_traffic(0, 30, sim_time(0.5), sim_time(0.5));  // Of no time: all in its bin.
  results::Timeline timeline = bins(4, 0.25, 1);
  loads.add_to(timeline, classes);
  CHECK(timeline.series[1].values == std::vector<double>{0, 0, 30 / 25.0, 0});
}
