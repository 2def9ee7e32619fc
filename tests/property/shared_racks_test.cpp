// Groups of devices that stand in the racks of another group.
#include <string>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;

namespace {

/// Two racks of one H200 node each, and two L40S in each of them, or beside them in two racks of their own.
std::string scenario(const std::string& guest) {
  return "schema: rackwright/v1\n"
         "workload: {generator: {input_tokens: 300, output_tokens: 30}, rate: 4 /s, duration: 10 s}\n"
         "facility:\n"
         "  racks:\n"
         "    - {name: big, count: 2, rack: {preset: hgx-h200-air, base_power: 90 W, power_budget: 20 kW}}\n"
         "    - {name: small, " + guest + ", rack: {node: {device: {preset: l40s, power: {idle: 35 W}}, devices: 2, base_power: 40 W}, nodes: 1, scale_up: {devices: 1}}}\n"
         "deployment:\n"
         "  - {pool: chat, model: llama-3.1-8b, on: big}\n"
         "  - {pool: side, model: qwen3-0.6b, on: \"small[2..3]\"}\n";
}

std::vector<Diagnostic> findings(const std::string& text) { return scenarios::check_scenario("scenario.yaml", text, {}, scenarios::Catalog()).diagnostics.all(); }

}  // namespace

TEST_CASE("Devices in the racks of others draw their power there, and nothing else changes") {
  const results::RunSummary together = test::run_scenario(scenario("in: big")).summary;
  const results::RunSummary apart = test::run_scenario(scenario("count: 2")).summary;
  REQUIRE(together.it->racks.size() == 2);
  REQUIRE(apart.it->racks.size() == 4);
  CHECK(together.it->racks[0].name == "big[0]");
  CHECK(together.it->energy_j == apart.it->energy_j);
  CHECK(together.ttft_s->mean == apart.ttft_s->mean);
  for (std::size_t rack : {0u, 1u}) {
    CHECK(together.it->racks[rack].mean_w == Approx(apart.it->racks[rack].mean_w + apart.it->racks[rack + 2].mean_w));
    CHECK(together.it->racks[rack].budget_w == 20'000);
  }
  // Base power of both kinds of node and of the rack, and two idle L40S whose pool is in the other rack, are drawn throughout.
  CHECK(apart.it->racks[2].mean_w == Approx(2 * 35 + 40));
}

TEST_CASE("Racks to stand in are named before, and stand on their own") {
  const auto first_error = [](const std::string& text) {
    for (const Diagnostic& finding : findings(text))
      if (finding.severity == Severity::error) return finding.message;
    return std::string();
  };
  CHECK(first_error(scenario("in: bog")) == "'bog' is the name of no racks above");
  CHECK(first_error(scenario("in: small")) == "'small' is the name of no racks above");
  CHECK(first_error(scenario("in: big")).empty());
}

TEST_CASE("What the racks of others decide has no effect on those who stand in them, and a count is theirs") {
  std::string text = scenario("in: big, count: 3");
  text.replace(text.find("nodes: 1, scale_up: {devices: 1}"), 0, "power_budget: 1 kW, ");
  std::string warned;
  for (const Diagnostic& finding : findings(text)) warned += finding.message + "\n";
  CHECK(warned.find("power_budget, because these nodes stand in the racks 'big'") != std::string::npos);
  CHECK(warned.find("count") != std::string::npos);
}

TEST_CASE("A budget is held against all that stands in the rack") {
  // Eight H200 at 700 W, a node and a rack with their base power, and two L40S at 350 W with 40 W: above 9 kW only together.
  const auto with_budget = [](const std::string& guest, const std::string& budget) {
    std::string text = scenario(guest);
    text.replace(text.find("20 kW"), 5, budget);
    for (const Diagnostic& finding : findings(text))
      if (finding.message.find("above its budget") != std::string::npos) return true;
    return false;
  };
  const auto lowest = [&](const std::string& guest) {
    for (int kw10 = 1; kw10 < 300; ++kw10)
      if (!with_budget(guest, std::to_string(kw10 * 100) + " W")) return kw10 * 100;
    return 0;
  };
  const int together = lowest("in: big"), apart = lowest("count: 2");
  CHECK(together - apart >= 700);
  CHECK(together - apart <= 800);
}
