#include <string>

#include "models/cost/step_cost.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "tests/support/catch.h"

using namespace rackwright;
using scenarios::Setting;

namespace {

const std::string one =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 512, output_tokens: 64}, rate: 10 /s, requests: 30}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "deployment: [{pool: c, model: llama-3.1-8b, on: a}]\n";

const std::string lpu =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 512, output_tokens: 64}, rate: 10 /s, requests: 30}\n"
    "facility: {racks: [{name: l, count: 9, rack: {preset: groqrack, node: {device: {power: {idle: 100 W}}}}}]}\n"
    "deployment: [{pool: c, model: mixtral-8x7b, on: l}]\n";

scenarios::CheckedScenario checked(const std::string& text, const std::vector<Setting>& settings) {
  const scenarios::Catalog catalog;
  return scenarios::check_scenario("s.yaml", text, settings, catalog);
}

/// Every finding, a line each.
std::string findings(const std::string& text, const std::vector<Setting>& settings) {
  std::string lines;
  const scenarios::CheckedScenario scenario = checked(text, settings);
  for (const Diagnostic& finding : scenario.diagnostics.all()) lines += to_string(finding) + '\n';
  return lines;
}

bool mentions(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

const std::string device = "facility.racks.a.rack.node.device.";

}  // namespace

TEST_CASE("Devices that keep weights on chip ignore the degrees of other devices, and say so") {
  const scenarios::CheckedScenario plain = checked(lpu, {});
  REQUIRE_FALSE(plain.diagnostics.has_errors());
  for (const char* field : {"tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel"}) {
    const std::vector<Setting> eight{{std::string("deployment.c.") + field, "8"}};
    CHECK(mentions(findings(lpu, eight), std::string("deployment[0].") + field + ": no effect: the devices of a stage share its layers"));
    const scenarios::CheckedScenario scenario = checked(lpu, eight);
    REQUIRE_FALSE(scenario.diagnostics.has_errors());
    CHECK(scenario.plans[0].kv_blocks == plain.plans[0].kv_blocks);
  }
}

TEST_CASE("A group of racks has no more devices than their numbers can tell apart") {
  CHECK(mentions(findings(one, {{"facility.racks.a.rack.nodes", "1000000000"}}), "rack.nodes"));
  CHECK(mentions(findings(one, {{"facility.racks.a.rack.nodes", "10000"}, {"facility.racks.a.count", "10000"}}),
                 "800000000 devices are more than 10000000, the most of one group of racks"));
}

TEST_CASE("A device whose speed the scenario changes loses the measured profile, with a warning") {
  CHECK(checked(one, {}).spec.hall.groups[0].profile == "nvidia-h200");
  for (const auto& [field, value] : {std::pair{"memory.bandwidth", "1 GB/s"}, {"peak.bf16", "1 TFLOP/s"}, {"achieved.memory", "10 %"},
                                     {"max_clock", "1 GHz"}, {"multiprocessors", "66"}}) {
    const std::vector<Setting> changed{{device + field, value}};
    CHECK(mentions(findings(one, changed), std::string("with another ") + field + " the device is not the h200-sxm that was measured"));
    CHECK(checked(one, changed).spec.hall.groups[0].profile.empty());
  }
  // Weights of 16 GB at 1 GB/s take 16 s a step.
  const scenarios::CheckedScenario slow = checked(one, {{device + "memory.bandwidth", "1 GB/s"}});
  REQUIRE_FALSE(slow.diagnostics.has_errors());
  CHECK(slow.spec.hall.groups[0].device_figures_are_assumed);
}

TEST_CASE("Figures that a profile does not hold, that equal the measured device's, or that stand beside its name leave it in place") {
  for (const std::vector<Setting>& settings : {std::vector<Setting>{{device + "power.limit", "500 W"}},
                                               {{device + "memory.capacity", "100 GB"}},
                                               {{device + "links.host", "32 GB/s"}},
                                               {{device + "memory.bandwidth", "4.8 TB/s"}},
                                               {{device + "memory.bandwidth", "4 TB/s"}, {device + "profile", "nvidia-h200"}}}) {
    CAPTURE(settings.front().path);
    CHECK(findings(one, settings).empty());
    CHECK(checked(one, settings).spec.hall.groups[0].profile == "nvidia-h200");
  }
}

TEST_CASE("A device cannot idle above its limit") {
  CHECK(mentions(findings(one, {{device + "power.idle", "800 W"}}), "the idle power of 800 W is above the limit of 700 W"));
}

TEST_CASE("A stated power budget that the rack may exceed is warned of") {
  // 8 · 700 W + 2.2 kW = 7.8 kW.
  CHECK(mentions(findings(one, {{"facility.racks.a.rack.power_budget", "7.7 kW"}}), "the rack may draw 7.8 kW, above its budget of 7.7 kW"));
  CHECK(findings(one, {{"facility.racks.a.rack.power_budget", "7.8 kW"}}).empty());
}

TEST_CASE("Sizes and periods that no run would end with are out of range") {
  const auto refuses = [](const std::string& path, const std::string& value) {
    CAPTURE(path);
    CHECK(checked(one, {{path, value}}).diagnostics.has_errors());
  };
  refuses("deployment.c.execution.decode_graph_sizes", "[2000000000]");
  refuses("workload.generator.arrivals", "{process: on-off, on: 1 ps, off: 1 ps}");
  refuses("output.timeline_period", "1 us");
  refuses(device + "memory.capacity", "1e300 B");
  refuses("deployment.c.kv_cache.tiers", "[{tier: h, capacity: 1e300 B}]");
  CHECK(checked(lpu, {{"deployment.c.dataflow.weights", "1e300 B"}}).diagnostics.has_errors());
}

TEST_CASE("Pools, tiers and racks have names") {
  CHECK(mentions(findings(one, {{"deployment.c.pool", ""}}), "a pool needs a name"));
  CHECK(mentions(findings(one, {{"deployment.c.kv_cache.tiers", "[{tier: '', capacity: 1 TB}]"}}), "a tier needs a name"));
}

TEST_CASE("A setting cannot make the file one of another kind") {
  CHECK(mentions(findings(one, {{"schema", "rackwright/v2"}}), "this is a 'rackwright/v2' file, but a 'rackwright/v1' file is expected"));
}

TEST_CASE("What stands beside stated step times without effect is warned of") {
  const Setting times{"deployment.c.step_times", "{prefill: 100 ms, decode: 10 ms}"};
  CHECK(findings(one, {times}).empty());
  CHECK(mentions(findings(one, {times, {"deployment.c.execution.host_time_per_step", "1 ms"}}), "execution: no effect: steps last as step_times states"));
}

TEST_CASE("Tiers and prefix-aware routing are warned of where generated requests share no prefixes") {
  CHECK(mentions(findings(one, {{"routing.policy", "prefix-aware"}}), "no effect: routing.policy, because the generated requests share no prefixes"));
  CHECK(mentions(findings(one, {{"deployment.c.kv_cache.tiers", "[{tier: host, capacity: 1 TB}]"}}), "no effect: deployment[0].kv_cache.tiers"));
  CHECK(findings(one, {{"deployment.c.kv_cache", "{preemption: swap, tiers: [{tier: host, capacity: 1 TB}]}"}}).empty());
}

TEST_CASE("An instance with hardly any room for KV is warned of") {
  CHECK(mentions(findings(one, {{"facility.racks.a.rack", "hgx-h100-air"}, {device + "memory.capacity", "80 GB"}, {"deployment.c.model", "qwen3-32b"}}),
                 "the memory of an instance leaves room for 128 tokens of KV cache, and the mean request has 576"));
}
