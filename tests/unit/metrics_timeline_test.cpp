#include <numeric>
#include <string>
#include <vector>

#include "sim/metrics/timeline_collector.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_run.h"

using namespace rackwright;
using metrics::TimelineCollector;
using test::request;
using test::stretch;

namespace {

metrics::RunEnd end_at(double seconds) { return {.first_arrival = sim_time(0), .last_event = sim_time(seconds)}; }

std::vector<double> values(const results::Timeline& timeline, const std::string& key) {
  const results::TimelineSeries* series = timeline.find(key);
  REQUIRE(series);
  return series->values;
}

void check_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]));
}

}  // namespace

TEST_CASE("A stretch is spread over the bins that it covers") {
  TimelineCollector collector(test::one_pool(2), test::one_pool_layout(2));
  auto s = stretch(1, 0.5, 20, 0.1, 700);  // [0.5, 2.5) of 2 instances, 600 W above idle
  s.decode_sequences = 8;
  s.waiting = 3;
  collector.on_stretch(s);
  const auto timeline = collector.timeline(end_at(2.75));
  CHECK(timeline.period_s == 1);
  CHECK(timeline.end_s == 2.75);
  // The last bin is 0.75 s long.
  check_near(values(timeline, "pools.chat.utilization"), {0.25, 0.5, 0.5 / 0.75 / 2});
  check_near(values(timeline, "pools.chat.batch"), {2, 4, 8 * 0.5 / 0.75 / 2});
  check_near(values(timeline, "pools.chat.queue"), {1.5, 3, 2});
  check_near(values(timeline, "pools.chat.decode_tokens_per_s"), {40, 80, 40 / 0.75});
  check_near(values(timeline, "racks.a.power_w"), {250 + 300, 250 + 600, 250 + 400});
  CHECK(values(timeline, "it_power_w") == values(timeline, "racks.a.power_w"));
}

TEST_CASE("KV use grows by the batch each step, within a bin and across bins") {
  auto run = test::one_pool(1);
  run.pools.front().kv_block_tokens = 10;
  TimelineCollector collector(run, test::one_pool_layout(1));
  auto s = stretch(0, 0, 4, 0.5, 700);
  s.decode_sequences = 5;
  s.kv_blocks = 10;
  s.kv_tokens = 30;  // 15, 20, 25, 30 tokens in the four steps of 0.5 s, of 100
  collector.on_stretch(s);
  check_near(values(collector.timeline(end_at(2)), "pools.chat.kv_fraction"), {0.175, 0.275});
}

TEST_CASE("A stretch cut anywhere gives the same timeline") {
  auto run = test::one_pool(1);
  auto whole = stretch(0, 0.3, 500, 0.02, 650);
  whole.cost.growth = {1'234'567};
  whole.end = whole.start + 500 * whole.cost.duration + (500 * 499 / 2) * whole.cost.growth;
  whole.decode_sequences = 7;
  whole.kv_blocks = 10'000;
  whole.kv_tokens = 90'000;
  const auto part = [&](std::int64_t from, std::int64_t to) {
    auto s = whole;
    s.start = whole.start + from * whole.cost.duration + (from * (from - 1) / 2) * whole.cost.growth;
    s.end = whole.start + to * whole.cost.duration + (to * (to - 1) / 2) * whole.cost.growth;
    s.cost.duration = whole.cost.duration + from * whole.cost.growth;
    s.steps = to - from;
    s.kv_tokens = whole.kv_tokens - (500 - to) * 7;
    return s;
  };
  TimelineCollector one(run, test::one_pool_layout(1));
  one.on_stretch(whole);
  TimelineCollector each(run, test::one_pool_layout(1));
  for (std::int64_t step = 0; step < 500; ++step) each.on_stretch(part(step, step + 1));
  const auto expected = one.timeline(end_at(30));
  const auto actual = each.timeline(end_at(30));
  REQUIRE(actual.series.size() == expected.series.size());
  for (std::size_t i = 0; i < actual.series.size(); ++i) CHECK(actual.series[i].values == expected.series[i].values);
}

TEST_CASE("Bins double until two thousand are enough, and lose nothing") {
  TimelineCollector collector(test::one_pool(1), test::one_pool_layout(1));
  for (int second = 0; second < 10'000; second += 10) {
    collector.on_stretch(stretch(0, second, 1, 5, 1'100));
    collector.on_request(request(static_cast<std::uint64_t>(second), second, second, second + 1, second + 2, 4));
  }
  const auto timeline = collector.timeline(end_at(10'000));
  // 10 000 s / 2 000 = 5 s, the next power of two is 8 s.
  CHECK(timeline.period_s == 8);
  const auto power = values(timeline, "it_power_w");
  CHECK(power.size() == 1'250);
  // 10 000 s · 150 W + 5 000 s · 1 000 W
  CHECK(std::accumulate(power.begin(), power.end(), 0.0) * 8 == Approx(6.5e6));
  const auto arrivals = values(timeline, "arrivals_per_s");
  CHECK(std::accumulate(arrivals.begin(), arrivals.end(), 0.0) * 8 == Approx(1'000));
}

TEST_CASE("A period that was asked for is kept") {
  TimelineCollector collector(test::one_pool(1), test::one_pool_layout(1), sim_time(0.25));
  collector.on_stretch(stretch(0, 0, 1, 1, 200));
  const auto timeline = collector.timeline(end_at(1));
  CHECK(timeline.period_s == 0.25);
  CHECK(timeline.bins() == 4);
}

TEST_CASE("A run without events has an empty timeline with its columns") {
  TimelineCollector collector(test::one_pool(1), test::one_pool_layout(1));
  const auto timeline = collector.timeline(end_at(0));
  CHECK(timeline.bins() == 0);
  CHECK(timeline.find("pools.chat.queue"));
}
