#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/base/invariant.h"
#include "models/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

// Features that nobody combines: kinds of workload, roles of pools, parallel degrees, tiers, speculation, scaling, admission,
// windows and networks, drawn together. A scenario is refused with a reason, or runs and keeps every law.

using namespace rackwright;
using test::ScenarioRun;

namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_(seed, "tests", "mixed features") {}

  bool chance(double share) { return stream_.uniform() < share; }
  int number(int low, int high) { return low + static_cast<int>(stream_() % static_cast<std::uint64_t>(high - low + 1)); }
  std::string pick(std::vector<std::string> all) { return all[stream_() % all.size()]; }

 private:
  RandomStream stream_;
};

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string spread(int low, int middle, int high) { return fmt::format("{{quantiles: {{p0: {}, p50: {}, p100: {}}}}}", low, middle, high); }

std::string workload(Draw& draw, std::vector<std::string>& stations) {
  std::vector<std::string> generator{"arrivals: " + draw.pick({"poisson", "constant", "{process: gamma, cv: 3}", "{process: on-off, on: 2 s, off: 3 s}"}),
                                     "input_tokens: " + spread(1, draw.number(20, 1500), 4000), "output_tokens: " + spread(1, draw.number(5, 90), 250)};
  std::string rest;
  if (draw.chance(0.2)) {
    generator.push_back(fmt::format("chain: {{calls: {}, tool_tokens: 50, tools: {{sh: 2}}}}", spread(1, 3, 6)));
    rest += "  tools: {sh: {station: cpu, time: " + draw.pick({"300 ms", "{quantiles: {p0: 1 ms, p100: 3 s}}"}) + "}}\n";
    stations.push_back(fmt::format("{{station: cpu, on: \"c[0]\", workers: {}}}", draw.number(2, 16)));
  } else if (draw.chance(0.3)) {
    generator.push_back("classes: {x: {share: 2}, y: {share: 1, output_tokens: 20}}");
    rest += "  classes: {x: {priority: 2, timeout: " + draw.pick({"5 s", "300 ms"}) + "}, y: {priority: -1, slo: {ttft_p99: 100 ms}}}\n";
  }
  if (draw.chance(0.2)) generator.push_back("reasoning_tokens: " + spread(5, 40, 200));
  if (draw.chance(0.15)) {
    rest += "  voice: {text_to_speech: {station: mouth, latency: 80 ms}, network_delay: 30 ms}\n";
    stations.push_back("{station: mouth, on: \"c[1]\", workers: 4}");
  } else if (draw.chance(0.15)) {
    rest += "  samples: " + draw.pick({"2", "{count: 3, finish: first}"}) + "\n";
  }
  return fmt::format("workload:\n  generator: {{{}}}\n  rate: {} /s\n  requests: {}\n{}", joined(generator), draw.pick({"2", "10", "40", "150"}), draw.number(1, 60), rest);
}

/// Settings that any pool may have.
std::vector<std::string> common(Draw& draw) {
  std::vector<std::string> parts;
  if (draw.chance(0.5)) {
    const std::string policy = draw.pick({"vllm-v1", "prefill-first", "sarathi", "orca", "static", "sglang", "distserve"});
    parts.push_back(fmt::format("scheduler: {{policy: {}, max_sequences: {}{}}}", policy, draw.number(1, 40),
                                policy == "vllm-v1" ? ", order: " + draw.pick({"arrival", "priority", "deadline"}) : ""));
  }
  if (draw.chance(0.5)) {
    std::vector<std::string> cache{fmt::format("blocks: {}", draw.number(260, 1500))};
    if (draw.chance(0.3)) cache.push_back("block_tokens: " + draw.pick({"7", "32"}));
    if (draw.chance(0.3)) cache.push_back("watermark: 10 %");
    if (draw.chance(0.4)) {
      cache.push_back("tiers: [{tier: host, capacity: 2 GB, bandwidth: 5 GB/s" + draw.pick({"", ", scope: pool"}) + "}]");
      cache.push_back("preemption: swap");
    }
    parts.push_back("kv_cache: {" + joined(cache) + "}");
  }
  if (draw.chance(0.25)) parts.push_back("execution: {" + draw.pick({"engine: vllm", "engine: sglang", "decode: eager", "host_time_per_step: 200 us, host_overlap: overlapped"}) + "}");
  if (draw.chance(0.2)) parts.push_back(fmt::format("scaling: {{target_outstanding: {}, load_bandwidth: 20 GB/s, period: 200 ms, down_window: 400 ms}}", draw.number(1, 9)));
  if (draw.chance(0.2)) parts.push_back("admission: {" + draw.pick({"max_waiting: 2", "within_ttft: true", "decode_load: predicted", "decode_load: current, max_waiting: 5"}) + "}");
  if (draw.chance(0.2)) parts.push_back("communication: " + draw.pick({"layer", "tile"}));
  return parts;
}

std::vector<std::string> degrees(Draw& draw, bool has_experts) {
  if (has_experts && draw.chance(0.6)) return {"data_parallel: " + draw.pick({"2", "4"}), "experts: " + draw.pick({"even", "power-law", "{load: power-law, placement: balanced, redundant: 1}"})};
  std::vector<std::string> parts;
  if (draw.chance(0.5)) parts.push_back("tensor_parallel: 2");
  if (draw.chance(0.25)) parts.push_back("pipeline_parallel: 2");
  return parts;
}

std::string speculation(Draw& draw) {
  return draw.pick({"speculation: {method: n-gram, tokens: 4, acceptance: 0.5, acceptance_concentration: 5}", "speculation: {draft: qwen3-0.6b, tokens: 3, acceptance: 0.7}"});
}

std::string scenario(std::uint64_t seed) {
  Draw draw(seed);
  std::vector<std::string> stations;
  const std::string requests = workload(draw, stations);
  const bool has_experts = draw.chance(0.3);
  const std::string model = has_experts ? "qwen3-30b-a3b" : "llama-3.1-8b";
  std::string pools;
  const auto pool = [&](const std::string& name, const std::string& on, std::vector<std::vector<std::string>> parts) {
    pools += fmt::format("  - {{pool: {}, model: {}, on: \"{}\"", name, model, on);
    for (const auto& part : parts)
      for (const std::string& one : part) pools += ", " + one;
    pools += "}\n";
  };
  const std::string kind = draw.pick({"whole", "whole", "split", "split", "apart"});
  if (kind == "whole") {
    pool("one", "a[0..7]", {common(draw), degrees(draw, has_experts), draw.chance(0.3) ? std::vector{speculation(draw)} : std::vector<std::string>()});
    if (draw.chance(0.4)) pool("two", "b", {common(draw), degrees(draw, has_experts), {"client_delay: 20 ms"}});
  } else if (kind == "split") {
    pool("prompts", draw.pick({"a[0..3]", "b"}), {{"role: prefill"}, common(draw), degrees(draw, has_experts)});
    pool("tokens", "a[8..15]",
         {{"role: decode"},
          common(draw),
          degrees(draw, has_experts),
          draw.chance(0.3) ? std::vector{speculation(draw)} : std::vector<std::string>(),
          {"kv_transfer: {" + draw.pick({"when: layerwise", "when: after", "initiative: pull", "local_prompts_below: 200", "spill_above: 3000", "bandwidth: 20 GB/s", "copies: 4, wait_per_copy: 1 ms"}) + "}"}});
    if (draw.chance(0.3)) pool("both", "a[4..7]", {common(draw)});
  } else {
    pool("attention", "a[0..3]", {{"role: attention", fmt::format("micro_batches: {}", draw.number(1, 4))}, common(draw)});
    pool("network", draw.pick({"a[4..7]", "a[8..11]"}), {{"role: ffn", "serves: attention", "exchange: " + draw.pick({"50 GB/s", "{send: fp8}"})}});
  }
  std::string text = fmt::format(
      "schema: rackwright/v1\nseed: {}\n{}facility: {{racks: [{{name: a, rack: {{preset: hgx-h200-air, nodes: 2}}}}, {{name: b, rack: {}}}, {{name: c, rack: {{preset: cpu-64-epyc-9965, nodes: 3}}}}]}}\n"
      "deployment:\n{}",
      seed, requests, draw.pick({"hgx-h100-air", "l40s-air", "mi300x-air"}), pools);
  if (draw.chance(0.6)) text += "routing: " + draw.pick({"round-robin", "least-kv", "power-of-two", "prefix-aware", "least-waiting", "slo-aware", "cost-aware", "session-affinity"}) + "\n";
  if (draw.chance(0.6)) text += "slo: {ttft_p99: 200 ms, tpot_p99: 40 ms, e2e_p99: 5 s}\n";
  if (draw.chance(0.3)) text += "output: {window: {warm_up: 50 ms}, timeline_period: " + draw.pick({"100 ms", "1 s"}) + "}\n";
  if (draw.chance(0.15)) text += "limits: {simulated_time: " + draw.pick({"300 ms", "20 s"}) + "}\n";
  if (draw.chance(0.3)) text += "fabric: {scale_out: " + draw.pick({"fat-tree", "{topology: rail-leaf-spine, oversubscription: 2}", "{path: adaptive, detours: 2}", "{flows: per-rail}"}) + "}\n";
  if (!stations.empty()) text += "stations: [" + joined(stations) + "]\n";
  return text;
}

void check_laws(const ScenarioRun& run) {
  const results::RequestCounts& counts = run.summary.requests;
  CHECK(counts.total == counts.completed + counts.rejected + counts.failed + counts.cancelled + counts.in_flight);
  for (const results::PoolSummary& pool : run.summary.pools) {
    CHECK(pool.utilization <= 1 + 1e-9);
    CHECK(pool.kv_peak_fraction.value_or(0) <= 1 + 1e-9);
  }
  if (run.summary.provenance) {
    double sum = 0;
    for (const double share : *run.summary.provenance) sum += share;
    CHECK((sum == 0 || sum == Approx(1)));
  }
  if (run.summary.it) CHECK(run.summary.it->peak_w >= run.summary.it->mean_w * (1 - 1e-9));
}

}  // namespace

TEST_CASE("Whatever is combined is refused with a reason, or runs alike by jumping and by walking and keeps every law") {
  int ran = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string text = scenario(seed);
    INFO(text);
    try {
      const ScenarioRun jump = test::run_scenario(text, serving::Jumping::on);
      const ScenarioRun walk = test::run_scenario(text, serving::Jumping::off);
      ++ran;
      CHECK(jump.summary_json == walk.summary_json);
      CHECK(jump.requests_csv == walk.requests_csv);
      CHECK(jump.timeline_csv == walk.timeline_csv);
      check_laws(jump);
    } catch (const InvariantViolation& bug) {
      FAIL_CHECK(bug.what());
    } catch (const std::runtime_error& refusal) {
      CHECK(std::string(refusal.what()).find("error: ") != std::string::npos);
    }
  }
  CHECK(ran >= 25);
}
