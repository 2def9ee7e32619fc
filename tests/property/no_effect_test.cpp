#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "scenarios/results/summary_json.h"
#include "scenarios/schema/description.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/support/catch.h"
#include "tests/support/effect_scenarios.h"
#include "tests/support/scenario_run.h"
#include "tests/support/temporary_folder.h"

// The no-op detector: for every parameter that the walk reaches, another value changes the results of a run, is refused,
// or is warned of as without effect. Parameters that only name or show something are listed with the reason.

using namespace rackwright;
using scenarios::GroupInfo;
using scenarios::ParameterInfo;
using scenarios::ParameterType;
using scenarios::Setting;
using test::ScenarioRun;

namespace {

struct Where {
  const std::string* base = nullptr;
  std::string prefix;
};

/// A value to try, what must be set beside it, and another scenario to try it in than the group's.
struct Trial {
  std::string value;
  std::vector<Setting> beside = {};
  const std::string* base = nullptr;
};

/// The number at the front of "15 s", and the rest.
std::pair<double, std::string> number_and_unit(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return {number, std::string(end)};
}

std::vector<Trial> trials(const std::string& group, const ParameterInfo& parameter) {
  if (group == "Slo") return {{"20 ms"}};
  std::vector<Trial> made;
  const std::string& text = parameter.default_text;
  switch (parameter.type) {
    case ParameterType::choice:
      for (const scenarios::ChoiceInfo& choice : parameter.choices)
        if (choice.name != text) made.push_back({choice.name});
      break;
    case ParameterType::truth: made.push_back({text == "true" ? "false" : "true"}); break;
    case ParameterType::quantity:
    case ParameterType::count: {
      if (!parameter.example.empty()) made.push_back({parameter.example});
      if (text.empty()) break;
      const auto [number, unit] = number_and_unit(text);
      for (const double other : {number == 0 ? 1 : 3 * number, number / 2, number + 1}) {
        if (parameter.max && other > *parameter.max) continue;
        if (parameter.type == ParameterType::count && other != static_cast<double>(static_cast<std::int64_t>(other))) continue;
        made.push_back({fmt::format("{}{}", other, unit)});
      }
      break;
    }
    default: break;
  }
  return made;
}

struct Result {
  std::string numbers;
  std::vector<std::string> warnings;
  bool is_refused = false;
};

Result run_of(const std::string& base, const std::vector<Setting>& settings) {
  Result result;
  try {
    ScenarioRun run = test::run_scenario(base, serving::Jumping::on, settings);
    result.warnings = std::exchange(run.summary.warnings, {});
    result.numbers = results::to_json(run.summary) + run.requests_csv + run.timeline_csv;
  } catch (const std::runtime_error&) {
    result.is_refused = true;
  }
  return result;
}

bool warns_of(const Result& result, const std::string& parameter) {
  return std::ranges::any_of(result.warnings, [&](const std::string& warning) {
    return warning.find("no effect") != std::string::npos && warning.find(parameter) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("Every parameter of a scenario changes a run, is refused, or is warned of as without effect") {
  const test::TemporaryFolder folder;
  const std::string a = test::generated;
  const std::string b = test::logged(folder);
  const std::string c = test::recurring(folder);
  const std::string d = test::spread_experts(folder);
  const std::string agent_tasks = test::agents;
  const std::string turns = test::spoken;
  const std::string mix = test::mixed;
  const std::string rails = test::over_rails;
  const std::string cables = test::over_join;
  const std::string stores = test::by_stores;
  const std::map<std::string, Where> groups{
      {"Scenario", {&a, ""}}, {"Workload", {&a, "workload."}}, {"Generator", {&a, "workload.generator."}},
      {"Arrivals", {&a, "workload.generator.arrivals."}}, {"DailySwing", {&a, "workload.generator.daily_swing."}},
      {"Lengths", {&a, "workload.generator.input_tokens."}}, {"Trace", {&b, "workload.trace."}},
      {"TraceColumns", {&b, "workload.trace.columns."}}, {"RequestClass", {&b, "workload.classes.voice."}}, {"Slo", {&a, "slo."}},
      {"Pool", {&a, "deployment.chat."}}, {"Scheduler", {&a, "deployment.chat.scheduler."}}, {"KvCache", {&c, "deployment.chat.kv_cache."}},
      {"KvTier", {&c, "deployment.chat.kv_cache.tiers.host."}}, {"Execution", {&a, "deployment.chat.execution."}},
      {"Communication", {&a, "deployment.chat.communication."}},
      {"Admission", {&a, "deployment.chat.admission."}}, {"Autoscaling", {&a, "deployment.chat.scaling."}},
      {"Routing", {&c, "routing."}}, {"Window", {&a, "output.window."}}, {"Limits", {&a, "limits."}},
      {"Station", {&agent_tasks, "stations.cpu."}}, {"Tool", {&agent_tasks, "workload.tools.build."}}, {"AgentChain", {&agent_tasks, "workload.generator.chain."}},
      {"Durations", {&agent_tasks, "workload.tools.shell.time."}}, {"Voice", {&turns, "workload.voice."}}, {"SpeechToText", {&turns, "workload.voice.speech_to_text."}},
      {"TextToSpeech", {&turns, "workload.voice.text_to_speech."}}, {"GeneratedClass", {&mix, "workload.generator.classes.x."}}, {"Samples", {&a, "workload.samples."}},
      {"RackPlacement", {&a, "facility.racks.a."}}, {"PeakRates", {&a, "facility.racks.a.rack.node.device.peak."}},
      {"Fabric", {&rails, "fabric."}}, {"ScaleOut", {&rails, "fabric.scale_out."}}, {"Join", {&cables, "fabric.join[0]."}},
      {"Mechanisms", {&rails, "fabric.mechanisms."}}, {"MechanismFigures", {&stores, "fabric.mechanisms.sm_stores."}},
      {"Experts", {&d, "deployment.chat.experts."}}, {"ContextParallel", {&a, "deployment.chat.context_parallel."}},
      {"DeviceMemory", {&a, "facility.racks.a.rack.node.device.memory."}}, {"DevicePower", {&a, "facility.racks.a.rack.node.device.power."}},
  };
  // What is set beside any parameter of a group, so that the group is there at all.
  const Setting scaled{"deployment.chat.scaling", "{target_outstanding: 4, load_bandwidth: 20 GB/s, period: 200 ms, down_window: 400 ms}"};
  const std::map<std::string, std::vector<Setting>> group_needs{
      {"Autoscaling", {scaled}}, {"DailySwing", {{"workload.generator.daily_swing.depth", "0.4"}}},
      {"Communication", {{"deployment.chat.tensor_parallel", "2"}}},
      {"PeakRates", {{"facility.racks.a.rack.node.device.profile", "none"}}},
      {"Samples", {{"workload.samples.count", "3"}}},
      {"DeviceMemory", {{"facility.racks.a.rack.node.device.profile", "none"}}},
  };
  const Setting by_id{"workload.trace.columns.id", "id"};
  const Setting by_parent{"workload.trace.columns.parent", "up"};
  const Setting took{"workload.trace.columns.tool_time", "took"};
  const std::map<std::string, std::vector<Trial>> own{
      {"Workload.tools", {{"{\"*\": {station: s, cores: 1}}", {by_id, by_parent, took, {"stations", "[{station: s, on: \"a[1]\"}]"}}, &b}}},
      {"Workload.voice", {{"{text_to_speech: {station: s, latency: 100 ms}}", {{"stations", "[{station: s, on: \"a[7]\"}]"}}}}},
      {"Workload.samples", {{"3"}}},
      {"Generator.classes", {{"{x: {share: 1, output_tokens: 5}}"}}},
      {"Generator.chain", {{"{calls: 2, tool_tokens: 5, tools: {x: 1}}", {{"workload.tools", "{x: {station: s, time: 1 s}}"}, {"stations", "[{station: s, on: \"a[7]\"}]"}}}}},
      {"Generator.reasoning_tokens", {{"40"}}},
      {"GeneratedClass.share", {{"9"}}},
      {"GeneratedClass.input_tokens", {{"300"}}},
      {"GeneratedClass.output_tokens", {{"300"}}},
      {"GeneratedClass.reasoning_tokens", {{"300"}}},
      {"Samples.count", {{"5"}}},
      {"Station.on", {{"cpu[0..1]"}}},
      {"Station.workers", {{"4"}}},
      {"Station.memory", {{"250 GB"}}},
      {"Tool.station", {{"nosuch"}}},
      {"Tool.cores", {{"8"}}},
      {"Tool.memory", {{"400 GB"}}},
      {"Tool.time", {{"2 s"}}},
      {"AgentChain.calls", {{"5"}}},
      {"AgentChain.tool_tokens", {{"900"}}},
      {"AgentChain.tools", {{"{shell: 1}"}}},
      {"AgentChain.parallel_tools", {{"3"}}},
      {"Durations.fixed", {{"2 s"}}},
      {"Durations.quantiles", {{"{p0: 1 s, p100: 2 s}"}}},
      {"SpeechToText.station", {{"mouths"}}},
      {"SpeechToText.latency", {{"300 ms"}}},
      {"SpeechToText.speech", {{"9 s"}}},
      {"TextToSpeech.station", {{"ears"}}},
      {"TextToSpeech.latency", {{"300 ms"}}},
      {"TraceColumns.id", {{"id", {by_parent}}}},
      {"TraceColumns.parent", {{"up", {by_id}}}},
      {"TraceColumns.think_time", {{"pause", {by_id, by_parent}}}},
      {"TraceColumns.tool_time", {{"took", {by_id, by_parent}}}},
      {"TraceColumns.tool", {{"tool", {by_id, by_parent, took, {"workload.tools", "{build: {station: s}}"}, {"stations", "[{station: s, on: \"a[1]\"}]"}}}}},
      {"TraceColumns.reasoning_tokens", {{"hidden"}}},
      {"TraceColumns.acceptance", {{"alpha", {{"deployment.chat.speculation", "{method: n-gram, tokens: 3, acceptance: 0.5}"}}}}},
      {"TraceColumns.speech", {{"spoke", {{"workload.voice", "{speech_to_text: {station: s, latency: 1 ms, real_time_factor: 0.1}, text_to_speech: {station: s, latency: 1 ms}}"},
                                         {"stations", "[{station: s, on: \"a[1]\"}]"}}}}},
      {"Scenario.seed", {{"7"}}},
      {"Workload.rate", {{"30 /s"}}},
      {"Workload.duration", {{"1 s"}}},
      {"Workload.requests", {{"80"}}},
      {"Workload.trace", {{(folder.path() / "mooncake.jsonl").string()}}},
      {"Workload.models", {{"{x: llama-3.1-8b}"}}},
      {"Generator.workload", {{"azure-conversation-2023"}}},
      {"Arrivals.on", {{"1 s", {{"workload.generator.arrivals.process", "on-off"}}}}},
      {"Arrivals.off", {{"1 s", {{"workload.generator.arrivals.process", "on-off"}}}}},
      {"Lengths.fixed", {{"300"}}},
      {"Lengths.quantiles", {{"{p0: 5, p100: 900}"}}},
      {"Trace.start", {{"6 s"}}},
      {"Trace.duration", {{"9 s"}}},
      {"Trace.max_requests", {{"40"}}},
      {"Trace.clip_input", {{"500"}}},
      {"Trace.clip_total", {{"500"}}},
      {"Trace.dequantize", {{"3 s"}}},
      {"Trace.format", {{"auto"}}},
      {"TraceColumns.arrival", {{"in"}}},
      {"TraceColumns.input_tokens", {{"out"}}},
      {"TraceColumns.output_tokens", {{"in"}}},
      {"TraceColumns.class", {{"model"}}},
      {"TraceColumns.session", {{"chat", {{"routing.policy", "session-affinity"}, {"deployment.chat.on", "a[0..3]"}}}}},
      {"TraceColumns.model", {{"model", {{"workload.models", "{x: llama-3.1-8b}"}}}}},
      {"TraceColumns.first_token", {{"at"}}},
      {"TraceColumns.completion", {{"at"}}},
      {"RequestClass.slo", {{"{ttft_p99: 10 ms}"}}},
      {"RequestClass.model", {{"nosuch"}}},
      {"RequestClass.priority", {{"-1"}}},
      {"RequestClass.timeout", {{"100 ms"}}},
      {"Slo.ttft_p99", {{"20 ms"}}},
      {"Pool.on", {{"a[4..5]", {{"facility.racks.a.count", "1"}}}, {"a[0]"}}},
      {"Pool.model", {{"llama-3-8b"}, {"qwen3-8b"}}},
      {"Pool.replicas", {{"1"}}},
      {"Pool.serves", {{"other"}}},
      {"Pool.quality", {{"0.7", {{"deployment.other.quality", "0.5"}}}}},
      {"Pool.tensor_parallel", {{"2"}}},
      {"Pool.pipeline_parallel", {{"2"}}},
      {"Pool.expert_parallel", {{"2"}}},
      {"Pool.experts", {{"power-law"}, {"power-law", {}, &d}}},
      {"Pool.context_parallel", {{"2"}}},
      {"ScaleOut.racks", {{"[b]"}}},
      {"ScaleOut.rails", {{"4"}}},
      {"ScaleOut.hosts_per_pod", {{"4"}}},
      {"ScaleOut.link", {{"50 Gb/s"}}},
      {"ScaleOut.switch_ports", {{"4"}}},
      {"ScaleOut.path", {{"deterministic", {{"fabric.scale_out.topology", "torus-2d"}}}, {"adaptive", {{"fabric.scale_out.topology", "fat-tree"}}}}},
      {"ScaleOut.switch_latency", {{"40 us"}}},
      {"ScaleOut.size", {{"[8, 8, 1]", {{"fabric.scale_out.topology", "torus-3d"}}}}},
      {"ScaleOut.file", {{"nosuch.graphml", {{"fabric.scale_out.topology", "file"}}}}},
      {"ScaleOut.detours", {{"4", {{"fabric.scale_out.path", "adaptive"}, {"fabric.scale_out.topology", "dragonfly"}}}}},
      {"Join.from", {{"nosuch"}}},
      {"Join.to", {{"nosuch"}}},
      {"Join.links", {{"8"}}},
      {"Join.link", {{"400 Gb/s"}}},
      {"Mechanisms.copy_engine", {{"{efficiency: 50 %}"}}},
      {"Mechanisms.sm_stores", {{"{efficiency: 50 %}"}}},
      {"Mechanisms.tma", {{"{efficiency: 50 %}"}}},
      {"Mechanisms.rdma", {{"{efficiency: 50 %}"}}},
      {"Mechanisms.tcp", {{"{efficiency: 50 %}"}}},
      {"MechanismFigures.start_up", {{"2 ms"}}},
      {"MechanismFigures.efficiency", {{"0.5 %"}}},
      {"MechanismFigures.node_limit", {{"4 GB/s"}}},
      {"MechanismFigures.sms", {{"64"}}},
      {"Experts.load", {{"power-law"}, {"table"}, {"table", {{"deployment.chat.experts.table", (folder.path() / "experts.csv").string()}}}}},
      {"Experts.exponent", {{"1", {{"deployment.chat.experts.load", "power-law"}}}}},
      {"Experts.seed", {{"1", {{"deployment.chat.experts.load", "power-law"}}}, {"1", {{"deployment.chat.experts", "{load: power-law, placement: balanced}"}}}}},
      {"Experts.table", {{"nosuch.csv", {{"deployment.chat.experts.load", "table"}}}}},
      {"Experts.placement", {{"balanced"}, {"balanced", {{"deployment.chat.experts.load", "power-law"}}}}},
      {"Experts.redundant", {{"1", {{"deployment.chat.experts.placement", "balanced"}}}}},
      {"Experts.token_nodes", {{"1"}, {"2"}, {"1", {{"deployment.chat.on", "a[0..7]"}, {"deployment.chat.data_parallel", "8"}}}}},
      {"Experts.dispatch", {{"forwarded"}, {"forwarded", {{"deployment.chat.on", "a[0..7]"}, {"deployment.chat.data_parallel", "8"}}}}},
      {"ContextParallel.degree", {{"2"}}},
      {"ContextParallel.exchange", {{"all-gather", {{"deployment.chat.context_parallel.degree", "2"}}}}},
      {"Pool.stage_link", {{"1 GB/s", {{"deployment.chat.pipeline_parallel", "2"}}}}},
      {"Pool.cost_weight", {{"5"}}},
      {"Pool.quality", {{"72 %"}}},
      {"Scheduler.token_budget", {{"256"}}},
      {"Scheduler.max_sequences", {{"3"}}},
      {"Scheduler.order", {{"arrival", {}, &b}}},
      {"Scheduler.long_prefill_threshold", {{"64"}}},
      {"Scheduler.chunked_prefill", {{"false", {{"deployment.chat.scheduler.token_budget", "2048"}}}}},
      {"Scheduler.reserve_tokens", {{"3000", {{"deployment.chat.scheduler.policy", "orca"}}}}},
      {"Scheduler.prompt_count", {{"padded", {{"deployment.chat.scheduler.policy", "prefill-first"}, {"deployment.chat.scheduler.token_budget", "3300"}}}}},
      {"Scheduler.context_budget", {{"6000", {{"deployment.chat.scheduler.policy", "distserve"}}}}},
      {"Scheduler.steps", {{"alternating", {{"deployment.chat.scheduler.policy", "sarathi"}}}}},
      {"KvCache.block_tokens", {{"32"}}},
      {"KvCache.windowed_rows", {{"kept", {{"deployment.chat.model", "gpt-oss-20b"}, {"deployment.chat.kv_cache.tiers", ""}}}}},
      {"KvCache.blocks", {{"900"}}},
      {"KvCache.memory_fraction", {{"0.3", {{"deployment.chat.kv_cache.blocks", ""}}}, {"0.2"}}},
      {"KvCache.watermark", {{"30 %"}, {"60 %"}}},
      {"KvCache.preemption", {{"swap", {{"deployment.chat.kv_cache.blocks", "388"}}}, {"swap", {{"deployment.chat.kv_cache.blocks", "580"}}}}},
      {"KvTier.bandwidth", {{"500 MB/s"}}},
      {"KvTier.capacity", {{"300 MB"}}},
      {"KvTier.latency", {{"200 ms"}}},
      {"Execution.decode_graph_sizes", {{"[16, 64]"}}},
      {"Execution.mixed_graph_sizes", {{"[512, 4096]"}}},
      {"Execution.mixed_decode_graph_sizes", {{"[0, 16]"}, {"[0, 16]", {{"deployment.chat.execution.mixed_prefill_graph_sizes", "[4096]"}}}}},
      {"Execution.mixed_prefill_graph_sizes", {{"[2048]"}, {"[4096]", {{"deployment.chat.execution.mixed_decode_graph_sizes", "[0, 16]"}}}}},
      {"Execution.lm_head", {{"padded", {{"deployment.chat.execution.decode_graph_sizes", "[64]"}}}}},
      {"Execution.host_overlap", {{"overlapped", {{"deployment.chat.execution.host_time_per_step", "5 ms"}}}}},
      {"Execution.launch_time", {{"50 us", {{"deployment.chat.execution.decode", "eager"}}}}},
      {"Communication.transfers", {{"staged", {{"deployment.chat.communication.overlap", "tile"}}}}},
      {"Communication.synchronization", {{"50 us", {{"deployment.chat.communication.overlap", "tile"}}}}},
      {"Communication.non_overlapped", {{"50 us", {{"deployment.chat.communication.overlap", "tile"}}}}},
      {"Communication.sms", {{"40", {{"deployment.chat.communication.overlap", "tile"}}}}},
      {"Communication.all_reduce_limit", {{"1 kB", {{"deployment.chat.execution.engine", "vllm"}}}}},
      {"Admission.max_waiting", {{"2"}}},
      {"Admission.within_ttft", {{"true", {{"slo.ttft_p99", "20 ms"}}}}},
      {"Autoscaling.down_window", {{"10 min", {{"deployment.chat.scaling.target_outstanding", "1"}, {"workload.rate", "6 /s"}}}}},
      {"Autoscaling.start_time", {{"1 s"}}},
      {"Autoscaling.load_bandwidth", {{"4 GB/s"}}},
      {"Autoscaling.target_outstanding", {{"9"}}},
      {"Routing.decode", {{"round-robin"}}},
      {"Routing.match_threshold", {{"95 %"}}},
      {"Routing.imbalance_requests", {{"0", {{"routing.imbalance_ratio", "1"}}}}},
      {"Routing.imbalance_ratio", {{"1", {{"routing.imbalance_requests", "0"}}}, {"4", {{"routing.imbalance_requests", "0"}}}}},
      {"Window.warm_up", {{"1 s"}}},
      {"Window.cool_down", {{"500 ms"}}},
      {"Limits.simulated_time", {{"1 s"}}},
      {"RackPlacement.count", {{"2"}}},
      {"RackPlacement.in", {{"b"}}},
      {"PeakRates.bf16", {{"300 TFLOP/s"}}},
      {"DeviceMemory.capacity", {{"17 GB"}}},
      {"DeviceMemory.bandwidth", {{"2 TB/s"}}},
      {"DevicePower.idle", {{"50 W"}}},
      {"DevicePower.limit", {{"300 W"}}},
      {"DevicePower.active", {{"30 %"}, {"30 %", {{"facility.racks.a.rack.node.device.profile", "none"}}}}},
  };
  // Why a parameter of these groups may leave every number as it is.
  const std::map<std::string, std::string> silent{
      {"Scenario.schema", "the version of the language"},
      {"Scenario.name", "a title"},
      {"Scenario.question", "a text that reports begin with"},
      {"Pool.pool", "a name"},
      {"RackPlacement.name", "a name"},
      {"KvTier.tier", "a name"},
      {"Station.station", "a name"},
      {"DeviceMemory.technology", "a label"},
      {"PeakRates.fp32", "no operator of these models multiplies in fp32"},
      {"PeakRates.fp8", "the model is in bf16"},
      {"PeakRates.fp4", "the model is in bf16"},
      {"PeakRates.int8", "the model is in bf16"},
      {"Limits.no_progress", "ends only a run that makes no progress"},
      {"Trace.file", "names the log"},
      {"RequestClass.model", "these scenarios have one model each, which serves every class"},
  };

  const scenarios::SchemaDescription schema = scenarios::describe(*v1::Scenario::descriptor());
  std::map<std::pair<const std::string*, std::string>, Result> bases;
  std::vector<std::string> without_effect;
  std::size_t tried = 0;
  for (const auto& [group_name, where] : groups) {
    const GroupInfo* group = schema.find(group_name);
    REQUIRE(group != nullptr);
    for (const ParameterInfo& parameter : group->parameters) {
      const std::string key = group_name + "." + parameter.name;
      const auto given = own.find(key);
      if (silent.contains(key) || (parameter.type == ParameterType::group && given == own.end())) continue;
      const std::vector<Trial> all = given != own.end() ? given->second : trials(group_name, parameter);
      bool has_effect = false;
      for (const Trial& trial : all) {
        std::vector<Setting> settings;
        if (const auto needs = group_needs.find(group_name); needs != group_needs.end()) settings = needs->second;
        settings.insert(settings.end(), trial.beside.begin(), trial.beside.end());
        std::string base_key;
        for (const Setting& setting : settings) base_key += setting.path + "=" + setting.value + ";";
        const std::string* scenario = trial.base != nullptr ? trial.base : where.base;
        auto [base, is_new] = bases.try_emplace({scenario, base_key});
        if (is_new) base->second = run_of(*scenario, settings);
        settings.push_back({where.prefix + parameter.name, trial.value});
        const Result other = run_of(*scenario, settings);
        ++tried;
        has_effect = other.is_refused || other.numbers != base->second.numbers || warns_of(other, parameter.name);
        if (has_effect) break;
      }
      if (!has_effect) without_effect.push_back(key);
    }
  }
  INFO(fmt::format("without effect, and nobody says so: {}", fmt::join(without_effect, ", ")));
  CHECK(without_effect.empty());
  CHECK(tried > 100);
}
