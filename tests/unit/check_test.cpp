#include <algorithm>
#include <string>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "tests/support/catch.h"

using namespace rackwright;
using scenarios::Setting;

namespace {

const std::string tutorial =
    "schema: rackwright/v1\n"
    "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "deployment:\n"
    "  - {pool: chat, model: llama-3.1-8b, on: a}\n";

/// Every finding, a line each.
std::string findings(const std::vector<Setting>& settings, const std::string& text = tutorial) {
  const scenarios::Catalog catalog;
  const scenarios::CheckedScenario scenario = scenarios::check_scenario("s.yaml", text, settings, catalog);
  std::string lines;
  for (const Diagnostic& finding : scenario.diagnostics.all()) lines += to_string(finding) + '\n';
  return lines;
}

}  // namespace

TEST_CASE("A scenario without faults has no findings, and as many replicas as fit") {
  const scenarios::Catalog catalog;
  const scenarios::CheckedScenario scenario = scenarios::check_scenario("s.yaml", tutorial, {}, catalog);
  CHECK(scenario.diagnostics.all().empty());
  REQUIRE(scenario.spec.pools.size() == 1);
  CHECK(scenario.spec.pools[0].instances == 8);
}

TEST_CASE("A name that does not exist is refused with the nearest one, at its place") {
  CHECK(findings({{"facility.racks.a.rack", "hgx-h200-ari"}}) ==
        "--set facility.racks.a.rack=hgx-h200-ari: error: facility.racks[0].rack.preset: no rack is called 'hgx-h200-ari' "
        "(did you mean 'hgx-h200-air'?)\n");
  CHECK(findings({{"deployment.chat.on", "b"}}) ==
        "--set deployment.chat.on=b: error: deployment[0].on: no rack is called 'b' (did you mean 'a'?)\n");
}

TEST_CASE("What does not fit into memory names the term that does not") {
  const std::string text = findings({{"deployment.chat.model", "llama-3.1-405b"}});
  CHECK(text.find("135.1 GB of h200-sxm cannot hold the weights: weights 811.7 GB") != std::string::npos);
}

TEST_CASE("A figure that the catalog does not know is named by the path that sets it") {
  // Without its power a device can run all the same: a warning says that no figure of power will be written.
  const std::string missing = findings({{"facility.racks.a.rack", "gb200-nvl72"}});
  CHECK(missing.find("warning: facility: the catalog does not know power.idle of gb200: the run goes without figures of power and energy "
                     "(--set facility.racks.a.rack.node.device.power.idle='100 W' or the like assumes a value)") != std::string::npos);
  CHECK(missing.find("error") == std::string::npos);
  CHECK(findings({{"facility.racks.a.rack", "gb200-nvl72"}, {"facility.racks.a.rack.node.device.power.idle", "150 W"}}).empty());
}

TEST_CASE("A setting supplies what the file lacks, and what is still missing is said") {
  const std::string open_model = "schema: rackwright/v1\n"
      "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
      "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
      "deployment:\n"
      "  - {pool: chat, on: a}\n";
  CHECK(findings({{"deployment.chat.model", "llama-3.1-8b"}}, open_model).empty());
  CHECK(findings({{"seed", "2"}}, open_model).starts_with("s.yaml:5:5: error: deployment[0]: 'model' is missing ("));
  CHECK(findings({{"deployment.chat.model", "null"}}).find("deployment[0]: 'model' is missing") != std::string::npos);
  CHECK(findings({{"deployment.chat.speculation.tokens", "4"}}).find("deployment[0].speculation: 'acceptance' is missing") !=
        std::string::npos);
}

TEST_CASE("What is written wrongly is not called missing on top") {
  const std::string text = findings({{"seed", "2"}}, "schema: rackwright/v1\nworkload: {rate: 8 /s}\nfacility: {racks: [{name: a, rack: hgx-h200-air}]}\ndeployment: 5\n");
  CHECK(text.find("deployment: a list is expected") != std::string::npos);
  CHECK(text.find("missing") == std::string::npos);
}

TEST_CASE("Two pools cannot take the same devices") {
  const std::string two = tutorial + "  - {pool: more, model: llama-3.1-8b, on: \"a[7]\"}\n";
  CHECK(findings({}, two).find("deployment[1].on: device 7 is taken by pool 'chat' already") != std::string::npos);
  CHECK(findings({{"deployment.chat.on", "a[0..6]"}}, two).empty());
}

TEST_CASE("A parameter without effect is a warning that says why") {
  CHECK(findings({{"deployment.chat.scheduler", "{policy: static, token_budget: 512}"}}).find("no effect: deployment[0].scheduler.token_budget, because policy is static") !=
        std::string::npos);
}

TEST_CASE("An engine brings its graphs, host time and all-reduce, and what is written goes before it") {
  const auto pool = [](const std::vector<Setting>& settings) {
    const scenarios::Catalog catalog;
    const scenarios::CheckedScenario checked = scenarios::check_scenario("s.yaml", tutorial, settings, catalog);
    CHECK(checked.diagnostics.all().empty());
    return checked.spec.pools[0];
  };
  const Setting vllm{"deployment.chat.execution.engine", "vllm"};
  const Setting few{"deployment.chat.scheduler.max_sequences", "64"};
  CHECK(pool({}).execution.host_time_per_step_s == 0);
  CHECK_FALSE(pool({}).communication.all_reduce);
  CHECK(pool({vllm, few}).execution.host_time_per_step_s == 700e-6);
  CHECK(pool({vllm, few}).execution.decode_sizes.back() == 128);
  CHECK(pool({vllm, few}).communication.all_reduce == cost::AllReduce::peer_memory);
  CHECK(pool({vllm, {"deployment.chat.execution.host_time_per_step", "1 ms"}}).execution.host_time_per_step_s == 1e-3);
  CHECK(pool({vllm, {"deployment.chat.communication.all_reduce", "nccl"}}).communication.all_reduce == cost::AllReduce::nccl);
  const Setting sglang{"deployment.chat.execution.engine", "sglang"};
  CHECK(pool({sglang}).execution.prefill == cost::ExecutionMode::eager);
  CHECK(pool({sglang, {"deployment.chat.execution.prefill", "graph"}}).execution.prefill == cost::ExecutionMode::graph);
  CHECK(findings({{"deployment.chat.communication.all_reduce_limit", "1 MiB"}}).find("no effect: deployment[0].communication.all_reduce_limit, because nothing asks for peer-memory kernels") !=
        std::string::npos);
  CHECK(findings({{"deployment.chat.execution.host_overlap", "overlapped"}}).find("because the host takes no time") != std::string::npos);
}

TEST_CASE("Catalog figures from memory are named, unless the scenario gives them itself") {
  const scenarios::Catalog catalog;
  const auto unverified = [&](const std::vector<Setting>& settings) {
    return scenarios::check_scenario("s.yaml", tutorial, settings, catalog).unverified;
  };
  const std::vector<std::string> lines = unverified({{"facility.racks.a.rack", "hgx-h20-air"}});
  CHECK(std::ranges::count(lines, "device h20: links.host") == 1);
  CHECK(std::ranges::count(lines, "node hgx-h20: height") == 1);

  const std::vector<std::string> fewer =
      unverified({{"facility.racks.a.rack", "hgx-h20-air"}, {"facility.racks.a.rack.node.device.links.host", "63 GB/s"}});
  CHECK(std::ranges::count(fewer, "device h20: links.host") == 0);
  CHECK(fewer.size() == lines.size() - 1);
}

TEST_CASE("Pipeline stages stand side by side in a domain, or are joined by a link that the scenario names") {
  const scenarios::Catalog catalog;
  const std::string two_nodes =
      "schema: rackwright/v1\n"
      "workload: {generator: azure-conversation-2023, rate: 1 /s, duration: 1 min}\n"
      "facility: {racks: [{name: a, rack: hgx-h200-air, count: 2}]}\n"
      "deployment:\n"
      "  - {pool: chat, model: llama-3.1-70b, on: a, tensor_parallel: 8, pipeline_parallel: 2}\n";
  CHECK(findings({}, two_nodes).find("deployment[0].stage_link: stages of an instance lie in different scale-up domains of 'a'") !=
        std::string::npos);
  const std::vector<Setting> link{{"deployment.chat.stage_link", "50 GB/s"}};
  CHECK(findings(link, two_nodes).empty());
  const scenarios::CheckedScenario across = scenarios::check_scenario("s.yaml", two_nodes, link, catalog);
  REQUIRE(across.plans.size() == 1);
  CHECK(across.plans[0].stage_layers == std::vector<int>{40, 40});
  CHECK(across.spec.pools[0].instances == 1);
  // Half of the layers a device: room for more than twice the KV blocks of eight devices, each of half the bytes.
  const scenarios::CheckedScenario inside =
      scenarios::check_scenario("s.yaml", two_nodes, {{"deployment.chat.pipeline_parallel", "1"}}, catalog);
  CHECK(across.plans[0].kv_blocks > 2 * inside.plans[0].kv_blocks);
  CHECK(inside.spec.pools[0].instances == 2);
}

TEST_CASE("Data-parallel ranks need a model with experts, and take their devices together") {
  CHECK(findings({{"deployment.chat.data_parallel", "2"}}).find("data-parallel attention within one instance needs a model with experts") !=
        std::string::npos);
  const scenarios::Catalog catalog;
  const scenarios::CheckedScenario ranks = scenarios::check_scenario(
      "s.yaml", tutorial, {{"deployment.chat.model", "qwen3-30b-a3b"}, {"deployment.chat.data_parallel", "4"}}, catalog);
  REQUIRE_FALSE(ranks.diagnostics.has_errors());
  CHECK(ranks.spec.pools[0].instances == 2);
  CHECK(ranks.spec.pools[0].parallelism.expert == 4);
  CHECK(ranks.plans[0].kv_blocks == 4 * ranks.plans[0].memory.kv_blocks);
}

TEST_CASE("Routing and admission parameters that lack what they need are warned of") {
  CHECK(findings({{"deployment.chat.cost_weight", "2"}}) ==
        "--set deployment.chat.cost_weight=2: warning: no effect: deployment[0].cost_weight, because routing is not cost-aware\n");
  CHECK(findings({{"deployment.chat.admission.within_ttft", "true"}}).find("because no request class has a TTFT objective") != std::string::npos);
  CHECK(findings({{"deployment.chat.admission.within_ttft", "true"}, {"slo.ttft_p99", "1 s"}}).empty());
  CHECK(findings({{"routing.policy", "cost-aware"}}).find("the cheapest pool takes every request") != std::string::npos);
  CHECK(findings({{"routing.match_threshold", "50 %"}}).find("no effect: routing.match_threshold") != std::string::npos);
}

TEST_CASE("Tiers are sized in tokens of the model, and say what they lack") {
  const scenarios::Catalog catalog;
  const auto with = [&](const std::string& kv_cache) { return std::vector<Setting>{{"deployment.chat.kv_cache", kv_cache}}; };
  CHECK(findings(with("{preemption: swap}")).find("deployment[0].kv_cache.preemption: nothing says where preempted sequences are swapped to") != std::string::npos);
  CHECK(findings(with("{tiers: [{tier: host, capacity: 1 TB}, {tier: nvme, capacity: 8 TB}]}")).find("tiers[1].bandwidth: nothing says how fast") !=
        std::string::npos);
  CHECK(findings(with("{prefix_caching: false, tiers: [{tier: host, capacity: 1 TB}]}")).find("neither prefixes are cached nor sequences swapped") !=
        std::string::npos);
  const scenarios::CheckedScenario tiered = scenarios::check_scenario("s.yaml", tutorial, with("{tiers: [{tier: host, capacity: 131072 MB, bandwidth: 10 GB/s}]}"), catalog);
  REQUIRE_FALSE(tiered.diagnostics.has_errors());
  // Llama-3.1-8B keeps 32 layers · 2 · 8 heads · 128 · 2 bytes = 131,072 bytes a token.
  CHECK(tiered.plans[0].kv_tiers[0].capacity_tokens == 1'000'000);
  CHECK(tiered.plans[0].kv_tiers[0].tokens_per_s == Approx(10e9 / 131'072));
}

namespace {

llm::WeightFormats weights_of(const std::string& model, const std::vector<Setting>& settings = {}) {
  const scenarios::Catalog catalog;
  std::vector<Setting> all{{"deployment.chat.model", model}};
  all.insert(all.end(), settings.begin(), settings.end());
  const scenarios::CheckedScenario scenario = scenarios::check_scenario("s.yaml", tutorial, all, catalog);
  REQUIRE(scenario.spec.pools.size() == 1);
  return scenario.spec.pools[0].model.weights;
}

}  // namespace

TEST_CASE("One format for all weights overrides the groups of every preset; without one they keep their own") {
  using Format = llm::WeightFormat;
  const Setting fp8{"deployment.chat.model.weights", "fp8"};
  const scenarios::Catalog catalog;
  for (const std::string& preset : catalog.names("model")) {
    CAPTURE(preset);
    const llm::WeightFormats own = weights_of(preset);
    const llm::WeightFormats overridden = weights_of(preset, {fp8});
    for (const Format format : {overridden.attention, overridden.attention_output, overridden.feed_forward, overridden.experts}) CHECK(format == Format::fp8);
    CHECK(overridden.lm_head == own.lm_head);
    CHECK(overridden.other == own.other);
  }
  CHECK(weights_of("llama-3.1-8b").attention == Format::bf16);
  CHECK(weights_of("llama-2-7b").attention == Format::fp16);
  CHECK(weights_of("deepseek-v3").experts == Format::fp8_block128);
  CHECK(weights_of("gpt-oss-120b").experts == Format::mxfp4);
  CHECK(weights_of("gpt-oss-120b").attention == Format::bf16);
}

TEST_CASE("A group of weights that the scenario names keeps its format beside one for all") {
  const llm::WeightFormats weights = weights_of("deepseek-v3", {{"deployment.chat.model.weights.all", "bf16"}, {"deployment.chat.model.weights.experts", "nvfp4"}});
  CHECK(weights.experts == llm::WeightFormat::nvfp4);
  CHECK(weights.attention == llm::WeightFormat::bf16);
  CHECK(weights_of("deepseek-v3", {{"deployment.chat.model.weights.experts", "nvfp4"}}).attention == llm::WeightFormat::fp8_block128);
}

TEST_CASE("Instances lie inside scale-up domains, whether or not their size divides one") {
  const auto placed = [](const std::string& on, const std::string& tensor) {
    const scenarios::Catalog catalog;
    return scenarios::check_scenario("s.yaml", tutorial,
                                     {{"facility.racks.a.rack", "gb200-nvl72"},
                                      {"facility.racks.a.rack.node.device.power.idle", "150 W"},
                                      {"facility.racks.a.count", "2"},
                                      {"deployment.chat.on", on},
                                      {"deployment.chat.tensor_parallel", tensor}},
                                     catalog)
        .spec.pools[0]
        .starts;
  };
  CHECK(placed("a", "16") == std::vector<int>{0, 16, 32, 48, 72, 88, 104, 120});
  CHECK(placed("a[4..35]", "16") == std::vector<int>{4, 20});
  CHECK(placed("a[60..110]", "32") == std::vector<int>{72});
}

TEST_CASE("Scaling needs replicas to switch, and says when it has none") {
  const auto with = [&](const std::string& least) {
    return std::vector<Setting>{{"deployment.chat.scaling", "{target_outstanding: 10, load_bandwidth: 5 GB/s, min_replicas: " + least + "}"}};
  };
  CHECK(findings(with("2")).empty());
  CHECK(findings(with("9")).find("deployment[0].scaling.min_replicas: 9 replicas are always on, but the pool has 8") != std::string::npos);
  CHECK(findings(with("8")).find("no effect: deployment[0].scaling, because all 8 replicas are always on") != std::string::npos);
  CHECK(findings({{"deployment.chat.scaling", "10"}}).find("load_bandwidth") != std::string::npos);
}
