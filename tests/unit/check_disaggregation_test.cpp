#include <string>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "tests/support/catch.h"
#include "tests/support/check_findings.h"

using namespace rackwright;
using scenarios::Setting;
using test::findings;
using test::has;

namespace {

const std::string split =
    "schema: rackwright/v1\n"
    "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air, count: 2}]}\n"
    "deployment:\n"
    "  - {pool: p, role: prefill, model: qwen3-235b-a22b, on: \"a[0..7]\", tensor_parallel: 8}\n"
    "  - {pool: d, role: decode, model: qwen3-235b-a22b, on: \"a[8..15]\", tensor_parallel: 8, kv_transfer: {bandwidth: 100 GB/s}}\n";

const std::string small =
    "schema: rackwright/v1\n"
    "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air, count: 2}]}\n"
    "deployment:\n"
    "  - {pool: p, role: prefill, model: llama-3.1-8b, on: \"a[0..1]\", tensor_parallel: 2}\n"
    "  - {pool: d, role: decode, model: llama-3.1-8b, on: \"a[2..3]\"}\n";

}  // namespace

TEST_CASE("A pool that prefills needs one that decodes the same model, and the other way round") {
  CHECK(findings({}, small).empty());
  CHECK(has(findings({{"deployment.d.role", "mixed"}}, small), "deployment[0].role: no pool decodes what 'p' prefills (add a pool of llama-3.1-8b with 'role: decode'"));
  CHECK(has(findings({{"deployment.p.role", "mixed"}}, small), "deployment[1].role: no pool prefills what 'd' decodes"));
  CHECK(has(findings({{"deployment.d.model", "qwen3-8b"}}, small), "no pool prefills what 'd' decodes"));
}

TEST_CASE("KV goes inside a scale-up domain, over the network between nodes, or at a stated bandwidth") {
  const scenarios::Catalog catalog;
  const auto plan_of = [&](const std::vector<Setting>& settings) { return scenarios::check_scenario("s.yaml", small, settings, catalog); };
  const auto inside = plan_of({});
  REQUIRE(inside.fabric);
  CHECK(inside.fabric->connections.at(0).reach == topologies::Reach::scale_up);
  const auto between = plan_of({{"deployment.d.on", "a[8..9]"}});
  REQUIRE(between.fabric);
  CHECK(between.fabric->connections.at(0).reach == topologies::Reach::scale_out);
  const auto stated = plan_of({{"deployment.d.on", "a[8..9]"}, {"deployment.d.kv_transfer.bandwidth", "50 GB/s"}});
  CHECK_FALSE(stated.fabric);
  CHECK(stated.plans[0].kv_port_bytes_per_s == 50e9);
  CHECK(has(findings({{"deployment.d.on", "a[8..9]"}, {"deployment.d.kv_transfer.mechanism", "tma"}}, small), "'tma' does not reach from node to node"));
}

TEST_CASE("KV of a head is sent as often as the receiver keeps it") {
  const scenarios::Catalog catalog;
  // 2 · 32 layers · 8 heads · 128 · 2 bytes.
  CHECK(scenarios::check_scenario("s.yaml", small, {}, catalog).plans[1].kv_bytes.per_token == 131'072);
  // 2 · 94 layers · 4 heads · 128 · 2 bytes = 192,512, twice over 8 devices that share 4 heads.
  const scenarios::CheckedScenario shared = scenarios::check_scenario("s.yaml", split, {}, catalog);
  REQUIRE_FALSE(shared.diagnostics.has_errors());
  CHECK(shared.plans[1].kv_bytes.per_token == 2 * 192'512);
}

TEST_CASE("A parameter of a transfer that is without effect is a warning") {
  CHECK(has(findings({{"deployment.d.kv_transfer.copies", "64"}}, small), "no effect"));
  CHECK(has(findings({{"deployment.p.kv_transfer", "after"}}, small), "no effect"));
}
