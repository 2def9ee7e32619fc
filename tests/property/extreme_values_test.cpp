#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/base/invariant.h"
#include "scenarios/schema/description.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/support/catch.h"
#include "tests/support/effect_scenarios.h"
#include "tests/support/scenario_run.h"

// No value of a parameter, however far from sense, is a bug of ours: the scenario is refused, or runs to some end. Values at
// and past both ends of what a type holds, in scenarios in which the parameter acts.

using namespace rackwright;
using scenarios::ParameterInfo;
using scenarios::ParameterType;
using scenarios::Setting;

namespace {

constexpr const char* split =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 900, output_tokens: 40}, rate: 40 /s, requests: 20}\n"
    "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
    "fabric: {scale_out: {topology: rail-leaf-spine}}\n"
    "deployment:\n"
    "  - {pool: pre, model: llama-3.1-8b, on: \"a[0..3]\", role: prefill}\n"
    "  - {pool: chat, model: llama-3.1-8b, on: \"a[8..11]\", role: decode, speculation: {draft_pool: dr, acceptance: 0.7}}\n"
    "  - {pool: dr, model: qwen3-0.6b, on: \"a[12..15]\", role: draft}\n";

constexpr const char* apart =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 300, output_tokens: 30}, rate: 40 /s, requests: 20}\n"
    "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
    "deployment:\n"
    "  - {pool: chat, model: llama-3.1-8b, on: \"a[0..3]\", role: attention}\n"
    "  - {pool: ff, model: llama-3.1-8b, on: \"a[8..11]\", role: ffn, serves: chat, exchange: {}}\n";

constexpr const char* experts =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 300, output_tokens: 20}, rate: 400 /s, requests: 20}\n"
    "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
    "deployment: [{pool: chat, model: qwen3-30b-a3b, on: \"a[0..15]\", data_parallel: 16, scheduler: {max_sequences: 64, token_budget: 512}}]\n";

constexpr const char* on_chip =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 100, output_tokens: 20}, rate: 10 /s, requests: 20}\n"
    "facility: {racks: [{name: a, rack: groqrack, count: 4}]}\n"
    "deployment: [{pool: chat, model: {preset: llama-3.1-8b, weights: int8}, on: a}]\n";

struct Place {
  std::string group;
  const char* scenario;
  std::string prefix;
  std::vector<Setting> beside = {};
};

std::vector<Place> places() {
  const Setting scaled{"deployment.chat.scaling", "{target_outstanding: 4, load_bandwidth: 20 GB/s, period: 200 ms, down_window: 400 ms}"};
  const Setting tiers{"deployment.chat.kv_cache", "{blocks: 450, tiers: [{tier: host, capacity: 2 GB, bandwidth: 2 GB/s}], preemption: swap}"};
  const Setting stated{"deployment.chat.step_times", "{prefill: 100 ms, decode: 10 ms}"};
  return {{"Workload", test::generated, "workload."},
          {"Arrivals", test::generated, "workload.generator.arrivals.", {{"workload.generator.arrivals.process", "on-off"}}},
          {"RequestClass", test::mixed, "workload.classes.x.", {{"workload.classes.x.priority", "1"}}},
          {"Slo", test::generated, "slo."},
          {"Pool", test::generated, "deployment.chat."},
          {"Pool", split, "deployment.chat."},
          {"Pool", apart, "deployment.chat."},
          {"Pool", apart, "deployment.ff."},
          {"Pool", experts, "deployment.chat."},
          {"Pool", on_chip, "deployment.chat."},
          {"Scheduler", test::generated, "deployment.chat.scheduler."},
          {"KvCache", test::generated, "deployment.chat.kv_cache."},
          {"KvTier", test::generated, "deployment.chat.kv_cache.tiers.host.", {tiers}},
          {"Execution", test::generated, "deployment.chat.execution."},
          {"KvTransfer", split, "deployment.chat.kv_transfer."},
          {"Autoscaling", test::generated, "deployment.chat.scaling.", {scaled}},
          {"Admission", test::generated, "deployment.chat.admission."},
          {"Speculation", split, "deployment.chat.speculation."},
          {"LayerExchange", apart, "deployment.ff.exchange."},
          {"Experts", experts, "deployment.chat.experts.", {{"deployment.chat.experts", "{load: power-law, placement: balanced}"}}},
          {"ContextParallel", test::generated, "deployment.chat.context_parallel."},
          {"DataflowPlacement", on_chip, "deployment.chat.dataflow."},
          {"PrefillTimes", test::generated, "deployment.chat.step_times.prefill.", {stated}},
          {"DecodeTimes", test::generated, "deployment.chat.step_times.decode.", {stated}},
          {"Output", test::generated, "output."},
          {"Window", test::generated, "output.window."},
          {"Limits", test::generated, "limits."},
          {"ScaleOut", split, "fabric.scale_out."},
          {"MechanismFigures", split, "fabric.mechanisms.rdma."},
          {"Station", test::agents, "stations.cpu."},
          {"Tool", test::agents, "workload.tools.build."},
          {"Durations", test::agents, "workload.tools.shell.time."},
          {"SpeechToText", test::spoken, "workload.voice.speech_to_text."},
          {"TextToSpeech", test::spoken, "workload.voice.text_to_speech."},
          {"RackPlacement", split, "facility.racks.a."},
          {"Rack", split, "facility.racks.a.rack."},
          {"Node", split, "facility.racks.a.rack.node."},
          {"ScaleUp", split, "facility.racks.a.rack.scale_up."},
          {"DevicePower", test::generated, "facility.racks.a.rack.node.device.power."},
          {"DeviceMemory", split, "facility.racks.a.rack.node.device.memory."},
          {"DeviceLinks", split, "facility.racks.a.rack.node.device.links."},
          {"DataflowDevice", on_chip, "facility.racks.a.rack.node.device.dataflow."},
          {"Model", test::generated, "deployment.chat.model."}};
}

std::vector<std::string> extremes(const ParameterInfo& parameter) {
  if (parameter.multiplicity != scenarios::Multiplicity::one) return {};
  switch (parameter.type) {
    case ParameterType::quantity: {
      const std::string unit = parameter.unit.empty() ? "" : " " + (parameter.unit == "1/s" ? std::string("/s") : parameter.unit);
      std::vector<std::string> values;
      for (const char* number : {"0", "1e-300", "1e9", "1e17", "1e300", "-1e17"}) values.push_back(number + unit);
      return values;
    }
    case ParameterType::count: return {"-1", "0", "1", "3", "2147483647", "4294967297", "9223372036854775807"};
    default: return {};
  }
}

/// A run that a large value only makes long.
bool is_long(const std::string& path) { return path == "workload.requests"; }

}  // namespace

TEST_CASE("No value of a parameter, however far from sense, is a bug of ours") {
  const scenarios::SchemaDescription schema = scenarios::describe(*v1::Scenario::descriptor());
  int tried = 0;
  for (const Place& place : places()) {
    const scenarios::GroupInfo* group = schema.find(place.group);
    REQUIRE(group != nullptr);
    for (const ParameterInfo& parameter : group->parameters) {
      const std::string path = place.prefix + parameter.name;
      if (is_long(path)) continue;
      for (const std::string& value : extremes(parameter)) {
        std::vector<Setting> settings = place.beside;
        settings.push_back({path, value});
        ++tried;
        INFO(fmt::format("{} {}={}", place.group, path, value));
        try {
          test::run_scenario(place.scenario, serving::Jumping::on, settings);
        } catch (const InvariantViolation& bug) {
          FAIL_CHECK(bug.what());
        } catch (const std::runtime_error&) {
          // Refused.
        }
      }
    }
  }
  CHECK(tried > 1000);
}
