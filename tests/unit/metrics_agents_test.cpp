#include "scenarios/results/summary_json.h"
#include "sim/metrics/chain_tally.h"
#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_run.h"

using namespace rackwright;
using test::request;

namespace {

metrics::RequestOutcome call(std::uint64_t id, std::uint64_t session, double arrival, double scheduled, double last) {
  metrics::RequestOutcome r = request(id, arrival, scheduled, scheduled + 0.5, last, 5);
  r.session = session;
  return r;
}

/// The pool of test::one_pool beside a station of two devices of four workers, idle at 10 W.
results::RunDescription with_station() {
  results::RunDescription run = test::one_pool(1);
  run.stations = {{"tools", "cpu", 2, 4}};
  return run;
}

metrics::RunLayout with_station_layout() {
  metrics::RunLayout layout = test::one_pool_layout(1);
  layout.station_devices = {{1, 10'000, {{0, 1}}}, {1, 10'000, {{0, 1}}}};
  return layout;
}

metrics::StationUse use(std::uint32_t device, double start, double end, std::int32_t workers, double power_w) {
  return {0, device, sim_time(start), sim_time(end), workers, workers, 0.25 * workers, static_cast<std::int64_t>(power_w * 1000)};
}

}  // namespace

TEST_CASE("The time of a line of requests is split into models, tools, waiting and pauses") {
  metrics::ChainTally tally({});
  // Session 7: 0 to 2 in the model (0.5 queued); 3 s of tools and 1 of waiting; a second call from 7 to 9, queued 0: a pause of 1.
  tally.add(call(0, 7, 0, 0.5, 2));
  metrics::RequestOutcome second = call(1, 7, 7, 7, 9);
  second.tool_time = sim_time(3);
  second.tool_wait = sim_time(1);
  tally.add(second);
  tally.add(call(2, 8, 1, 1, 4));  // One call alone.
  tally.add(call(3, 9, 1, 1, 4));
  metrics::RequestOutcome lost = call(4, 9, 5, 0, 0);
  lost.outcome = metrics::Outcome::cancelled;
  tally.add(lost);                 // Its session does not count.
  tally.add(call(5, 0, 1, 1, 4));  // Of no session.
  const auto s = tally.summary();
  REQUIRE(s);
  CHECK(s->chains == 2);
  CHECK(s->calls == 1.5);
  CHECK(s->e2e_s.max == 9);
  CHECK(s->e2e_s.mean == 6);
  CHECK(s->model_s == Approx((4 + 3) / 2.0));
  CHECK(s->model_queue_s == Approx(0.25));
  CHECK(s->tool_s == Approx(1.5));
  CHECK(s->tool_wait_s == Approx(0.5));
  CHECK(s->other_s == Approx(0.5));
  CHECK(s->binds() == "stations");
}

TEST_CASE("A session is over after an hour without a request; another one of its number is another line") {
  metrics::ChainTally tally({});
  tally.add(call(0, 7, 0, 0, 1));
  tally.add(call(1, 7, 3'000, 3'000, 3'001));  // Within the hour.
  tally.add(call(2, 8, 7'000, 7'000, 7'001));
  tally.add(call(3, 7, 9'000, 9'000, 9'001));
  const auto s = tally.summary();
  CHECK(s->chains == 3);
  CHECK(s->e2e_s.max == 3'001);
}

TEST_CASE("A station's workers, jobs, waits, memory and energy are added up, in IT power, racks and timeline too") {
  metrics::SummaryCollector collector(with_station(), with_station_layout());
  metrics::TimelineCollector timeline(with_station(), with_station_layout(), sim_time(1));
  for (const metrics::StationUse& one : {use(0, 0, 2, 3, 40), use(1, 1, 2, 1, 20), use(0, 2, 3, 1, 20)}) {
    collector.on_station_use(one);
    timeline.on_station_use(one);
  }
  collector.on_station_job({0, sim_time(0), sim_time(0), sim_time(2)});
  collector.on_station_job({0, sim_time(0), sim_time(1), sim_time(2)});
  const metrics::RunEnd end{.first_arrival = {}, .last_event = sim_time(4)};
  const auto s = collector.summary(end, {});
  REQUIRE(s.stations.size() == 1);
  const results::StationSummary& station = s.stations[0];
  CHECK(station.workers == 8);
  CHECK(station.jobs == 2);
  CHECK(station.busy_s == 3 * 2 + 1 + 1);
  CHECK(station.utilization == Approx(8.0 / (8 * 4)));
  CHECK(station.wait_s->max == 1);
  CHECK(station.job_s->mean == 1.5);
  CHECK(station.peak_memory_fraction == 0.75);
  // Two devices idle at 10 W for 4 s, and 30 W above for 2 s, 10 for 1, 10 for 1.
  CHECK(*station.energy_j == Approx(80 + 60 + 10 + 10));
  // Beside them a pool at 100 W and 50 W of the rack.
  CHECK(s.it->energy_j == Approx(160 + 4 * 150));
  CHECK(s.it->peak_w == 150 + 20 + 30 + 10);
  CHECK(s.it->racks[0].peak_w == s.it->peak_w);
  const results::Timeline lines = timeline.timeline(end);
  const results::TimelineSeries* busy = lines.find("stations.tools.utilization");
  REQUIRE(busy != nullptr);
  CHECK(busy->values[0] == Approx(3.0 / 8));
  CHECK(busy->values[1] == Approx(4.0 / 8));
  CHECK(lines.find("it_power_w")->values[1] == Approx(150 + 20 + 30 + 10));
}

TEST_CASE("A spoken turn meets its objective by its first audio, and its parts add up") {
  results::RunDescription run = test::one_pool(1);
  run.classes[0].targets = {{results::LatencyMetric::first_audio, 0.95, sim_time(0.9)}, {results::LatencyMetric::first_visible, 0.5, sim_time(0.75)}};
  metrics::SummaryCollector collector(run, test::one_pool_layout(1));
  for (int i = 0; i < 2; ++i) {
    metrics::RequestOutcome r = request(static_cast<std::uint64_t>(i), 1, 1, 1.5, 3, 12);
    results::SpokenTurn& turn = r.turn.emplace();
    turn.start = sim_time(0.6);
    turn.network = sim_time(0.05);
    turn.recognition = sim_time(0.3);
    turn.synthesis = sim_time(0.1);
    turn.first_audio = sim_time(i == 0 ? 1.4 : 1.6);
    turn.longest_gap = sim_time(0.02);
    turn.end = sim_time(5);
    if (i == 1) r.first_visible = sim_time(2);
    collector.on_request(r);
  }
  const auto s = collector.summary({.first_arrival = {}, .last_event = sim_time(5), .requests_total = 2}, {});
  REQUIRE(s.voice);
  CHECK(s.voice->turns == 2);
  CHECK(s.voice->first_audio_s.mean == Approx(0.9));
  CHECK(s.voice->model_s == Approx(0.9 - 0.05 - 0.3 - 0.1));
  CHECK(s.first_visible_s->max == 1);
  // 0.8 and 1.0 s of first audio; 0.5 (no reasoning: the first token) and 1.0 s to the first visible token.
  CHECK(s.slo->attainment == 0.5);
  CHECK_FALSE(s.slo->objectives[0].met);
  CHECK(s.slo->objectives[1].met);
}

TEST_CASE("Tokens of other completions count as output, and every part of agents and voice comes back from summary.json") {
  results::RunDescription run = with_station();
  metrics::RunLayout layout = with_station_layout();
  layout.has_chains = true;
  metrics::SummaryCollector collector(run, layout);
  metrics::RequestOutcome r = call(0, 7, 1, 1, 3);
  r.other_tokens = 15;
  r.first_visible = sim_time(2);
  r.turn = results::SpokenTurn{sim_time(0.5), sim_time(2.5), sim_time(0.1), sim_time(4), sim_time(0.1), sim_time(0.2), sim_time(0.3)};
  collector.on_request(r);
  collector.on_station_use(use(0, 0, 2, 3, 40));
  collector.on_station_job({0, sim_time(0), sim_time(0.5), sim_time(2)});
  const auto s = collector.summary({.first_arrival = {}, .last_event = sim_time(5), .requests_total = 1}, {});
  CHECK(s.output_tokens_per_s == Approx((5 + 15) / 5.0));
  const std::string json = results::to_json(s);
  const results::RunSummary again = results::parse_summary(json);
  CHECK(results::to_json(again) == json);
  REQUIRE(again.stations.size() == 1);
  CHECK(again.chains->chains == 1);
  CHECK(again.voice->turns == 1);
  CHECK(again.first_visible_s->count == 1);
}
