#include "models/base/invariant.h"
#include "scenarios/results/run_stream.h"
#include "scenarios/results/summary_json.h"
#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_run.h"

using namespace rackwright;
using metrics::SummaryCollector;
using metrics::TimelineCollector;
using test::request;
using test::stretch;

namespace {

metrics::RunEnd end_at(double seconds, std::int64_t requests) {
  return {.first_arrival = sim_time(0), .last_event = sim_time(seconds), .requests_total = requests};
}

}  // namespace

TEST_CASE("Latencies follow their definitions") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  // Arrives at 1, starts at 1.5, tokens at 2, 2.1, 2.2, …, 3.
  collector.on_request(request(0, 1, 1.5, 2, 3, 11));
  // One token only: no TPOT.
  collector.on_request(request(1, 2, 2, 2.5, 2.5, 1));
  const auto s = collector.summary(end_at(10, 2), {});
  CHECK(s.queue_s->max == 0.5);
  CHECK(s.ttft_s->max == 1);
  CHECK(s.ttft_s->p50 == 0.5);
  CHECK(s.ttft_s->mean == 0.75);
  CHECK(s.e2e_s->max == 2);
  CHECK(s.tpot_s->count == 1);
  CHECK(s.tpot_s->max == 0.1);
  CHECK_FALSE(s.itl_s);
  // 2 requests, 200 + 12 tokens in 10 s
  CHECK(s.requests_per_s == 0.2);
  CHECK(s.input_tokens_per_s == 20);
  CHECK(s.output_tokens_per_s == Approx(1.2));
}

TEST_CASE("Every request is accounted for, or it is a bug") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  auto rejected = request(0, 1, 0, 0, 0, 0);
  rejected.outcome = metrics::Outcome::rejected;
  collector.on_request(rejected);
  collector.on_request(request(1, 1, 1, 2, 3, 2));
  auto end = end_at(5, 4);
  CHECK_THROWS_AS(collector.summary(end, {}), InvariantViolation);
  end.requests_in_flight = 2;
  const auto s = collector.summary(end, {});
  CHECK(s.requests.total == 4);
  CHECK(s.requests.completed == 1);
  CHECK(s.requests.rejected == 1);
  CHECK(s.requests.in_flight == 2);
  CHECK(s.e2e_s->count == 1);
}

TEST_CASE("A run that completes nothing has no latencies, not zeros") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  for (std::uint64_t id = 0; id < 3; ++id) {
    auto rejected = request(id, 1, 0, 0, 0, 0);
    rejected.outcome = metrics::Outcome::rejected;
    collector.on_request(rejected);
  }
  const auto s = collector.summary(end_at(5, 3), {});
  CHECK_FALSE(s.ttft_s);
  CHECK_FALSE(s.provenance);
  CHECK_FALSE(s.it->per_request_j);
  CHECK(s.requests_per_s == 0);
  // Idle: 5 s · (100 + 50) W
  CHECK(s.it->energy_j == Approx(750));
  CHECK(results::to_json(s).find("ttft_s") == std::string::npos);
}

TEST_CASE("An empty run has a summary") {
  SummaryCollector collector(test::one_pool(2), test::one_pool_layout(2));
  const auto s = collector.summary(end_at(0, 0), {"nothing arrived"});
  CHECK(s.duration_s == 0);
  CHECK(s.it->peak_w == 250);
  CHECK(s.pools.front().utilization == 0);
  CHECK(s.warnings.size() == 1);
}

TEST_CASE("Energy is idle power and what steps draw above it; the peak is where they overlap") {
  SummaryCollector collector(test::one_pool(2), test::one_pool_layout(2));
  collector.on_stretch(stretch(0, 0, 20, 0.1, 700));  // [0, 2) at 700 W
  collector.on_stretch(stretch(1, 1, 10, 0.2, 400));  // [1, 3) at 400 W
  const auto s = collector.summary(end_at(10, 0), {});
  // 10 s · (2 · 100 + 50) W + 2 s · 600 W + 2 s · 300 W
  CHECK(s.it->energy_j == Approx(4'300));
  CHECK(s.it->mean_w == Approx(430));
  // In [1, 2): 50 + 700 + 400
  CHECK(s.it->peak_w == Approx(1'150));
  CHECK(s.it->racks.front().peak_w == Approx(1'150));
  CHECK(*s.it->racks.front().density_w_per_u == Approx(115));
  CHECK(*s.it->racks.front().budget_w == 5'000);
  // Busy 2 + 2 of 2 · 10 s, 20 + 10 steps
  CHECK(s.pools.front().busy_s == Approx(4));
  CHECK(s.pools.front().utilization == Approx(0.2));
  CHECK(s.pools.front().steps == 30);
}

TEST_CASE("A step that draws less than its instance at idle is a bug") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  CHECK_THROWS_AS(collector.on_stretch(stretch(0, 0, 1, 0.1, 99)), InvariantViolation);
}

TEST_CASE("The mean batch is taken over steps") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  auto few = stretch(0, 0, 30, 0.1, 200);
  few.decode_sequences = 2;
  auto many = stretch(0, 3, 10, 1, 200);
  many.decode_sequences = 9;
  many.prefill_sequences = 1;
  collector.on_stretch(few);
  collector.on_stretch(many);
  // (30 · 2 + 10 · 10) / 40
  CHECK(collector.summary(end_at(13, 0), {}).pools.front().mean_batch == 4);
}

TEST_CASE("Provenance is shared by busy time and sums to one") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  auto measured = stretch(0, 0, 30, 0.1, 200);
  measured.cost.provenance = {0.75f, 0.25f, 0, 0, 0};
  auto assumed = stretch(0, 3, 1, 1, 200);
  assumed.cost.provenance = {0, 0, 0, 0, 1};
  collector.on_stretch(measured);
  collector.on_stretch(assumed);
  const auto shares = *collector.summary(end_at(13, 0), {}).provenance;
  CHECK(shares[0] == Approx(3 * 0.75 / 4));
  CHECK(shares[1] == Approx(3 * 0.25 / 4));
  CHECK(shares[4] == Approx(0.25));
  CHECK(shares[0] + shares[1] + shares[2] + shares[3] + shares[4] == Approx(1).epsilon(1e-15));
}

TEST_CASE("Provenance follows what grows along a stretch, and in part of it") {
  // Steps of 0.1 s, half measured and half assumed, and 0.01 s more each, all of it extrapolated: ten steps take 1 + 0.01 · 45 =
  // 1.45 s, of which 0.5 s are measured, 0.5 s assumed and 0.45 s extrapolated.
  const auto growing = [] {
    auto s = stretch(0, 0, 10, 0.1, 200);
    s.cost.growth = sim_time(0.01);
    s.end = s.start + 10 * s.cost.duration + 45 * s.cost.growth;
    s.cost.provenance = {0.5f, 0, 0, 0, 0.5f};
    s.cost.provenance_growth_s = {0, 0.01f, 0, 0, 0};
    return s;
  };
  SummaryCollector all(test::one_pool(1), test::one_pool_layout(1));
  all.on_stretch(growing());
  const auto shares = *all.summary(end_at(2, 0), {}).provenance;
  CHECK(shares[0] == Approx(0.5 / 1.45));
  CHECK(shares[1] == Approx(0.45 / 1.45));
  CHECK(shares[4] == Approx(0.5 / 1.45));
  // The last five steps, from 0.5 + 0.01 · 10 = 0.6 s on: 0.85 s, of which 0.01 · (45 − 10) = 0.35 s are extrapolated.
  auto layout = test::one_pool_layout(1);
  layout.window.from = sim_time(0.6);
  SummaryCollector late(test::one_pool(1), layout);
  late.on_stretch(growing());
  const auto of_late = *late.summary(end_at(2, 0), {}).provenance;
  CHECK(of_late[1] == Approx(0.35 / 0.85));
  CHECK(of_late[0] == Approx(0.25 / 0.85));
}

TEST_CASE("Where power is not known no figure of it is written, not zero") {
  auto layout = test::one_pool_layout(1);
  layout.power_is_known = false;
  layout.instances.front().idle_power_mw = 0;
  SummaryCollector collector(test::one_pool(1), layout);
  collector.on_stretch(stretch(0, 0, 10, 0.1, 0));
  collector.on_request(request(0, 1, 1, 2, 3, 2));
  const auto s = collector.summary(end_at(5, 1), {});
  CHECK_FALSE(s.it);
  CHECK_FALSE(s.pools.front().energy_j);
  CHECK(results::to_json(s).find("power") == std::string::npos);
  CHECK(results::to_json(s).find("energy") == std::string::npos);
  TimelineCollector timeline(test::one_pool(1), layout);
  timeline.on_stretch(stretch(0, 0, 10, 0.1, 0));
  for (const results::TimelineSeries& series : timeline.timeline(end_at(5, 1)).series) CHECK(series.key.find("power") == std::string::npos);
}

TEST_CASE("Communication that nothing hides is a share of busy time") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  auto s = stretch(0, 0, 10, 0.1, 200);
  s.cost.parts = {.sm_clock_s = 0.02, .memory_s = 0.05, .link_s = 0.02, .host_s = 0.01};
  collector.on_stretch(s);
  const auto summary = collector.summary(end_at(2, 0), {});
  CHECK(summary.network->exposed_s == Approx(0.2));
  CHECK(summary.network->share_of_busy == Approx(0.2));
  CHECK_FALSE(summary.network->bytes);
  CHECK((*summary.bound)[1] == Approx(0.5));
}

TEST_CASE("A stretch cut anywhere gives the same bytes") {
  const std::int64_t steps = 1'000;
  const auto whole = [&] {
    auto s = stretch(0, 0.5, steps, 0.02, 650);
    s.cost.growth = {123'457};
    s.end = s.start + steps * s.cost.duration + (steps * (steps - 1) / 2) * s.cost.growth;
    s.cost.provenance = {0.3f, 0.2f, 0.1f, 0.4f, 0};
    s.cost.parts = {.sm_clock_s = 0.004, .memory_s = 0.0133, .link_s = 0.0017, .host_s = 0.001};
    s.decode_sequences = 7;
    return s;
  }();
  const auto part = [&](std::int64_t from, std::int64_t to) {
    auto s = whole;
    const auto at = [&](std::int64_t n) {
      return whole.start + n * whole.cost.duration + (n * (n - 1) / 2) * whole.cost.growth;
    };
    s.start = at(from);
    s.end = at(to);
    s.steps = to - from;
    return s;
  };
  const auto gaps = [&](const metrics::Stretch& s, std::int64_t from) {
    return metrics::TokenGaps{0, whole.cost.duration + from * whole.cost.growth, whole.cost.growth, s.steps, 7, s.start};
  };
  const auto window = GENERATE(metrics::MeasureWindow{}, metrics::MeasureWindow{sim_time(3), sim_time(11.1)});
  auto layout = test::one_pool_layout(1);
  layout.window = window;

  SummaryCollector one(test::one_pool(1), layout);
  one.on_stretch(whole);
  one.on_token_gaps(gaps(whole, 0));
  SummaryCollector many(test::one_pool(1), layout);
  for (const auto& [from, to] : std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {1, 2}, {2, 444}, {444, steps}}) {
    // The whole's first duration prices every part, as a cost model of one piece does.
    many.on_stretch([&] {
      auto s = part(from, to);
      s.cost.duration = whole.cost.duration + from * whole.cost.growth;
      return s;
    }());
    many.on_token_gaps(gaps(part(from, to), from));
  }
  CHECK(results::to_json(many.summary(end_at(30, 0), {})) == results::to_json(one.summary(end_at(30, 0), {})));
}

TEST_CASE("Objectives are judged request by request and by quantile, class by class") {
  auto run = test::one_pool(1);
  using results::LatencyMetric;
  run.classes = {{"", {{LatencyMetric::ttft, 0.5, sim_time(0.5)}, {LatencyMetric::tpot, 0.99, sim_time(0.1)}}},
                 {"batch", {{LatencyMetric::e2e, 0.99, sim_time(60)}}}};
  SummaryCollector collector(run, test::one_pool_layout(1));
  collector.on_request(request(0, 0, 0, 0.4, 1, 10));    // TTFT 0.4, TPOT 0.067: meets both
  collector.on_request(request(1, 0, 0, 0.5, 0.5, 1));   // TTFT on the limit, no TPOT: meets
  collector.on_request(request(2, 0, 0, 0.4, 2.4, 11));  // TPOT 0.2: misses
  auto slow = request(3, 0, 0, 50, 59, 10);
  slow.request_class = 1;
  collector.on_request(slow);  // Only E2E counts in its class: meets
  auto failed = request(4, 0, 0, 0, 0, 0);
  failed.outcome = metrics::Outcome::failed;
  collector.on_request(failed);
  const auto slo = *collector.summary(end_at(100, 5), {}).slo;
  CHECK(slo.attainment == Approx(3.0 / 5));
  CHECK(slo.goodput_requests_per_s == Approx(0.03));
  REQUIRE(slo.objectives.size() == 3);
  CHECK(slo.objectives[0].met);
  CHECK(*slo.objectives[0].value_s == 0.4);
  CHECK_FALSE(slo.objectives[1].met);
  CHECK(slo.objectives[2].met);
  CHECK(slo.objectives[2].request_class == "batch");
}

TEST_CASE("A measured window leaves out what arrived before and after it, and clips the rest") {
  auto layout = test::one_pool_layout(1);
  layout.window = {sim_time(10), sim_time(20)};
  SummaryCollector collector(test::one_pool(1), layout);
  collector.on_request(request(0, 9, 9, 9.5, 12, 5));    // Warm-up; ends inside.
  collector.on_request(request(1, 10, 10, 11, 15, 5));   // Inside.
  collector.on_request(request(2, 19, 19, 22, 25, 5));   // Arrives inside, ends outside.
  collector.on_request(request(3, 20, 20, 20.5, 30, 5)); // Cool-down.
  collector.on_stretch(stretch(0, 8, 40, 0.1, 300));     // [8, 12): 2 s and 20 steps inside.
  const auto s = collector.summary(end_at(30, 4), {});
  CHECK(s.requests.completed == 4);
  CHECK(s.duration_s == 30);
  CHECK(s.window->requests == 2);
  CHECK(s.ttft_s->count == 2);
  CHECK(s.ttft_s->max == 3);
  CHECK(s.requests_per_s == Approx(0.2));
  CHECK(s.pools.front().steps == 20);
  CHECK(s.pools.front().utilization == Approx(0.2));
  // 10 s · 150 W + 2 s · 200 W
  CHECK(s.it->energy_j == Approx(1'900));
}

TEST_CASE("Simulated latencies are compared with those of the log, where it had them") {
  SummaryCollector collector(test::one_pool(1), test::one_pool_layout(1));
  auto first = request(0, 1, 1, 1.5, 3, 5);
  first.logged = {sim_time(1.4), sim_time(3.2)};
  auto second = request(1, 2, 2, 2.2, 4, 5);
  second.logged.completion = sim_time(4.4);
  collector.on_request(first);
  collector.on_request(second);
  collector.on_request(request(2, 3, 3, 4, 5, 5));
  const auto s = collector.summary(end_at(5, 3), {});
  CHECK(s.logged_ttft->requests == 1);
  CHECK(s.logged_ttft->mean_error_s == Approx(0.1));
  CHECK(s.logged_e2e->requests == 2);
  // −0.2 and −0.4
  CHECK(s.logged_e2e->mean_error_s == Approx(-0.3));
  CHECK(s.logged_e2e->absolute_error.max == Approx(0.4));
}

TEST_CASE("The prefix cache counts tokens looked up and found, where a pool has one") {
  auto run = test::one_pool(1);
  SummaryCollector without(run, test::one_pool_layout(1));
  CHECK_FALSE(without.summary(end_at(1, 0), {}).prefix_cache);
  run.pools.front().prefix_cache = true;
  SummaryCollector with(run, test::one_pool_layout(1));
  auto r = request(0, 0, 0, 1, 1, 1);
  r.cached_input_tokens = 64;
  with.on_request(r);
  const auto cache = *with.summary(end_at(1, 1), {}).prefix_cache;
  CHECK(cache.hit_tokens == 64);
  CHECK(cache.lookup_tokens == 100);
}

TEST_CASE("summary.json reads back to the same summary") {
  auto run = test::one_pool(2);
  run.classes = {{"", {{results::LatencyMetric::ttft, 0.99, sim_time(0.5)}}}};
  run.pools.front().prefix_cache = true;
  SummaryCollector collector(run, test::one_pool_layout(2));
  auto r = request(0, 1, 1.5, 2, 3, 11);
  r.logged = {sim_time(1.9), sim_time(3.1)};
  collector.on_request(r);
  auto s = stretch(1, 1.5, 3, 0.5, 500);
  s.cost.parts.link_s = 0.1;
  s.kv_blocks = 100;
  s.kv_blocks_used = 37;
  s.decode_sequences = 9;
  collector.on_stretch(s);
  collector.set_network(1e9, {{"leaf-1 up", 5e8, 0.25}});
  auto end = end_at(4, 1);
  end.status = results::RunStatus::stalled;
  end.status_reason = "request 7 waits for KV blocks";
  const std::string written = results::to_json(collector.summary(end, {"a warning"}));
  CHECK(results::to_json(results::parse_summary(written)) == written);
  CHECK_THROWS_AS(results::parse_summary(written.substr(0, written.size() / 2)), results::DamagedStream);
  CHECK_NOTHROW(results::parse_summary("[]"));
  CHECK_NOTHROW(results::parse_summary(R"({"slo": {"objectives": [3, null]}, "pools": {"a": 4}, "warnings": [1]})"));
}
