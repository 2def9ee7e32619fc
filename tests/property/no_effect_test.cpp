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

/// Two small pools under load: queues, preemptions, and memory that is short.
constexpr const char* generated =
    "schema: rackwright/v1\n"
    "workload:\n"
    "  generator: {arrivals: {process: gamma, cv: 2}, input_tokens: {quantiles: {p0: 20, p50: 700, p100: 3000}}, output_tokens: {quantiles: {p0: 2, p50: 60, p100: 200}}}\n"
    "  rate: 60 /s\n"
    "  requests: 120\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "deployment:\n"
    "  - {pool: chat, model: llama-3.1-8b, on: \"a[0..1]\", scheduler: {max_sequences: 12}, kv_cache: {blocks: 700}}\n"
    "  - {pool: other, model: llama-3.1-8b, on: \"a[2]\", scheduler: {max_sequences: 12}, kv_cache: {blocks: 700}}\n"
    "slo: {ttft_p99: 200 ms, e2e_p99: 5 s}\n";

/// A log with classes, observed times and more than one model, read by a mapping of columns.
std::string logged(const test::TemporaryFolder& folder) {
  std::ofstream log(folder.path() / "log.csv");
  log << "at,in,out,kind,model,chat\n";
  for (int i = 0; i < 90; ++i)
    log << fmt::format("{},{},{},{},{},{}\n", 100 + 3 * (i / 6), 200 + 371 * i % 2500, 2 + 17 * i % 90, i % 3 == 0 ? "voice" : "batch", i % 2 == 0 ? "x" : "y", i % 7);
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload:\n"
      "  trace: {{file: {}, format: columns, columns: {{arrival: at, time_unit: s, input_tokens: in, output_tokens: out, class: kind}}}}\n"
      "  classes: {{voice: {{priority: 1}}}}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: chat, model: llama-3.1-8b, on: \"a[0]\", scheduler: {{max_sequences: 2, order: priority}}}}\n"
      "slo: {{ttft_p99: 200 ms}}\n",
      (folder.path() / "log.csv").string());
}

/// Prompts of 512-token blocks that recur, in a cache that does not hold them, with a tier below it.
std::string recurring(const test::TemporaryFolder& folder) {
  std::ofstream log(folder.path() / "mooncake.jsonl");
  for (int i = 0; i < 120; ++i) {
    std::string ids;
    for (int j = 0; j < 6; ++j) ids += fmt::format("{}{}", j == 0 ? "" : ", ", 100 * (i * 7 % 11) + (j < 4 ? j : 10 * i + j));
    log << fmt::format("{{\"timestamp\": {}, \"input_length\": {}, \"output_length\": {}, \"hash_ids\": [{}]}}\n", 60 * i, 6 * 512, 5 + 13 * i % 40, ids);
  }
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload: {{trace: {}}}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: chat, model: llama-3.1-8b, on: \"a[0..1]\", scheduler: {{max_sequences: 6}}, kv_cache: {{blocks: 450, tiers: [{{tier: host, capacity: 2 GB, bandwidth: 2 GB/s}}]}}}}\n"
      "routing: prefix-aware\n"
      "slo: {{ttft_p99: 200 ms}}\n",
      (folder.path() / "mooncake.jsonl").string());
}

/// Experts over two nodes, which a table counts.
std::string spread_experts(const test::TemporaryFolder& folder) {
  std::ofstream counts(folder.path() / "experts.csv");
  counts << "layer,expert,tokens\n";
  for (int i = 0; i < 128; ++i) counts << fmt::format("0,{},{}\n", i, 1 + i);
  return
      "schema: rackwright/v1\n"
      "workload: {generator: {input_tokens: 300, output_tokens: {quantiles: {p0: 2, p100: 40}}}, rate: 400 /s, requests: 60}\n"
      "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
      "deployment:\n"
      "  - {pool: chat, model: qwen3-30b-a3b, on: \"a[0..15]\", data_parallel: 16, scheduler: {max_sequences: 64, token_budget: 512}}\n";
}

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
  const std::string a = generated;
  const std::string b = logged(folder);
  const std::string c = recurring(folder);
  const std::string d = spread_experts(folder);
  const std::map<std::string, Where> groups{
      {"Scenario", {&a, ""}}, {"Workload", {&a, "workload."}}, {"Generator", {&a, "workload.generator."}},
      {"Arrivals", {&a, "workload.generator.arrivals."}}, {"DailySwing", {&a, "workload.generator.daily_swing."}},
      {"Lengths", {&a, "workload.generator.input_tokens."}}, {"Trace", {&b, "workload.trace."}},
      {"TraceColumns", {&b, "workload.trace.columns."}}, {"RequestClass", {&b, "workload.classes.voice."}}, {"Slo", {&a, "slo."}},
      {"Pool", {&a, "deployment.chat."}}, {"Scheduler", {&a, "deployment.chat.scheduler."}}, {"KvCache", {&c, "deployment.chat.kv_cache."}},
      {"KvTier", {&c, "deployment.chat.kv_cache.tiers.host."}}, {"Execution", {&a, "deployment.chat.execution."}},
      {"Admission", {&a, "deployment.chat.admission."}}, {"Autoscaling", {&a, "deployment.chat.scaling."}},
      {"Routing", {&c, "routing."}}, {"Window", {&a, "output.window."}}, {"Limits", {&a, "limits."}},
      {"RackPlacement", {&a, "facility.racks.a."}}, {"PeakRates", {&a, "facility.racks.a.rack.node.device.peak."}},
      {"Experts", {&d, "deployment.chat.experts."}}, {"ContextParallel", {&a, "deployment.chat.context_parallel."}},
      {"DeviceMemory", {&a, "facility.racks.a.rack.node.device.memory."}}, {"DevicePower", {&a, "facility.racks.a.rack.node.device.power."}},
  };
  // What is set beside any parameter of a group, so that the group is there at all.
  const Setting scaled{"deployment.chat.scaling", "{target_outstanding: 4, load_bandwidth: 20 GB/s, period: 200 ms, down_window: 400 ms}"};
  const std::map<std::string, std::vector<Setting>> group_needs{
      {"Autoscaling", {scaled}}, {"DailySwing", {{"workload.generator.daily_swing.depth", "0.4"}}},
      {"PeakRates", {{"facility.racks.a.rack.node.device.profile", "none"}}},
      {"DeviceMemory", {{"facility.racks.a.rack.node.device.profile", "none"}}},
  };
  const std::map<std::string, std::vector<Trial>> own{
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
      {"PeakRates.bf16", {{"300 TFLOP/s"}}},
      {"DeviceMemory.capacity", {{"17 GB"}}},
      {"DeviceMemory.bandwidth", {{"2 TB/s"}}},
      {"DevicePower.idle", {{"50 W"}}},
      {"DevicePower.limit", {{"300 W"}}},
  };
  // Why a parameter of these groups may leave every number as it is.
  const std::map<std::string, std::string> silent{
      {"Scenario.schema", "the version of the language"},
      {"Scenario.name", "a title"},
      {"Pool.pool", "a name"},
      {"RackPlacement.name", "a name"},
      {"KvTier.tier", "a name"},
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
