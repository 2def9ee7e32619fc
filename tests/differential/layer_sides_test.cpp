#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "sim/run/rate_match.h"
#include "tests/support/catch.h"

using namespace rackwright;

namespace {

std::vector<results::LayerSides> sides_of(const std::string& scenario, const std::vector<scenarios::Setting>& settings, const run::MeanLengths& lengths) {
  const scenarios::CheckedScenario checked =
      scenarios::check_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/" + scenario, settings, scenarios::Catalog());
  REQUIRE(checked.diagnostics.error_count() == 0);
  return run::layer_sides(checked.spec, checked.plans, lengths);
}

}  // namespace

TEST_CASE("What binds a layer at full load is what the conditions on micro-batches say, without a run") {
  // T_a = T_e = 100 us. With the slowest of them and the exchange T_f, m T_f ≥ 2 (100 us + T_c) keeps it busy.
  const double f = 100e-6;
  for (const double exchange : {10e-6, 45e-6, 60e-6, 90e-6, 120e-6}) {
    for (const int m : {1, 2, 3, 4}) {
      const auto all = sides_of("limits/micro_batches.yaml",
                                {{"deployment.attention.micro_batches", std::to_string(m)},
                                 {"deployment.experts.exchange.latency", fmt::format("{} us", exchange * 1e6)}},
                                {.input = 1, .output = 3});
      CAPTURE(exchange, m);
      REQUIRE(all.size() == 1);
      const results::LayerSides& sides = all.front();
      CHECK(sides.name == "attention");
      CHECK(sides.micro_batches == m);
      CHECK(sides.attention_s == Approx(f).epsilon(1e-6));
      CHECK(sides.feed_forward_s == Approx(f).epsilon(1e-6));
      CHECK(sides.send_s == Approx(exchange).epsilon(1e-6));
      CHECK(sides.return_s == Approx(exchange).epsilon(1e-6));
      const bool is_full = m * std::max(f, exchange) >= 2 * (f + exchange);
      CHECK(sides.binds() == (!is_full ? "round trip" : exchange > f ? "exchange" : "attention"));
    }
  }
}

TEST_CASE("FastAFD's projection of Rubin with LPX: attention binds, and experts and dense layers leave the slack that it states") {
  // Milliseconds of a step: attention on Rubin; experts and dense layers on LPX; the slack of the second beside the first.
  struct Row { double attention; double experts; double dense; double slack; };
  for (const Row& row : {Row{5.00, 0.24, 1.86, 2.90}, Row{5.65, 0.12, 1.80, 3.73}, Row{5.41, 0.70, 2.05, 2.66}, Row{5.17, 0.35, 1.95, 2.87}}) {
    const auto all = sides_of("limits/micro_batches.yaml",
                              {{"deployment.attention.step_times.decode", fmt::format("{} ms", row.attention)},
                               {"deployment.experts.step_times.decode", fmt::format("{} ms", row.experts + row.dense)}},
                              {.input = 1, .output = 3});
    REQUIRE(all.size() == 1);
    const double layers = 126;
    CHECK(layers * (all.front().attention_s - all.front().feed_forward_s) * 1e3 == Approx(row.slack).margin(0.005));
    CHECK(all.front().binds() == "attention");
  }
}

TEST_CASE("A model whose layers lie in one place has no sides") {
  CHECK(sides_of("disaggregation/pd_two_h200.yaml", {}, {.input = 1000, .output = 200}).empty());
  CHECK(sides_of("limits/micro_batches.yaml", {}, {}).empty());  // No requests, no lengths.
}
