#include "gui/run/live_series.h"

#include <algorithm>

#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::LiveSeries;

namespace {

results::RunDescription onePool() {
  results::RunDescription run;
  run.pools.resize(1);
  run.pools[0].name = "chat";
  return run;
}

/// A run of `seconds` seconds with a sample and ten requests of five tokens in each, with TTFT i ms for the i-th.
LiveSeries made(int seconds) {
  LiveSeries series(onePool());
  for (int s = 1; s <= seconds; ++s) {
    std::vector<results::RequestOutcome> rows(10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].arrival = sim_time(s - 0.5);
      rows[i].first_token = rows[i].arrival + sim_time(0.001 * static_cast<double>(i + 1));
      rows[i].output_tokens = 5;
      rows[i].last_token = rows[i].first_token + sim_time(0.040);
    }
    series.add(rows);
    series.add(results::LiveSample{sim_time(s), 10 * s, 50 * s, 1000, {{4, 2, 0.25}}});
  }
  return series;
}

const plots::Plot& plot(const std::vector<plots::Plot>& plots, const std::string& id) {
  const auto found = std::ranges::find(plots, id, &plots::Plot::id);
  REQUIRE(found != plots.end());
  return *found;
}

}  // namespace

TEST_CASE("Rates, percentiles and pools stay what they are however many bins become one") {
  for (const int seconds : {5, 239, 240, 1000, 5000}) {
    INFO(seconds << " s");
    const std::vector<plots::Plot> plots = made(seconds).plots();
    for (const plots::Plot& p : plots) CHECK(p.series.front().points.size() < LiveSeries::mostBins);
    for (const plots::Point& p : plot(plots, "live_tokens").series[0].points) CHECK(p.y == Approx(50));
    for (const plots::Point& p : plot(plots, "live_requests").series[0].points) CHECK(p.y == Approx(10));
    for (const plots::Point& p : plot(plots, "live_ttft").series[0].points) CHECK(p.y == Approx(0.005));
    for (const plots::Point& p : plot(plots, "live_ttft").series[1].points) CHECK(p.y == Approx(0.010));
    for (const plots::Point& p : plot(plots, "live_tpot").series[0].points) CHECK(p.y == Approx(0.010));
    for (const plots::Point& p : plot(plots, "live_batch").series[0].points) CHECK(p.y == Approx(4));
    for (const plots::Point& p : plot(plots, "live_queue").series[0].points) CHECK(p.y == Approx(2));
    for (const plots::Point& p : plot(plots, "live_kv").series[0].points) CHECK(p.y == Approx(0.25));
    for (const plots::Point& p : plot(plots, "live_power").series[0].points) CHECK(p.y == Approx(1000));
  }
}

TEST_CASE("A run that has shown nothing yet has no plots") {
  CHECK(LiveSeries(onePool()).plots().empty());
}
