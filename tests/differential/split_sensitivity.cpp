#include "tests/differential/split_sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/differential/served_figures.h"

namespace rackwright::test {
namespace {

constexpr const char* scenario = RACKWRIGHT_SOURCE_DIR "/scenarios/library/disaggregation/pd_two_h200.yaml";
constexpr std::array rates{4.0, 8.0, 14.0, 20.0};

using Settings = std::vector<scenarios::Setting>;

scenarios::Setting host_of_prompts(const char* time) { return {"deployment[0].execution.host_time_per_step", time}; }
scenarios::Setting host_of_tokens(const char* time) { return {"deployment[1].execution.host_time_per_step", time}; }

/// "[first, first + step, …, last]"
std::string sizes(int first, int last, int step) {
  std::string text = fmt::format("[{}", first);
  for (int size = first + step; size <= last; size += step) text += fmt::format(", {}", size);
  return text + "]";
}

struct Variant {
  const char* name;
  Settings settings;
};

std::vector<Variant> variants() {
  return {
      {"host time of prompt steps 870 us", {host_of_prompts("870 us")}},
      {"host time of prompt steps 3 ms: layers launched one by one, for the copies between them", {host_of_prompts("3 ms")}},
      {"host time of token steps 870 us", {host_of_tokens("870 us")}},
      {"host time of token steps 1.07 ms", {host_of_tokens("1070 us")}},
      {"host time of token steps 1.3 ms: two engines in one process, or more work a sequence", {host_of_tokens("1300 us")}},
      {"prompts padded to 32 tokens alone", {{"deployment[0].execution.mixed_prefill_graph_sizes", sizes(32, 2048, 32)}}},
      {"decodes not padded", {{"deployment[1].execution.decode_graph_sizes", sizes(1, 80, 1)}}},
      {"LM head over sampled rows alone", {{"deployment[0].execution.lm_head", "sampled"}, {"deployment[1].execution.lm_head", "sampled"}}},
      {"one prompt at a time", {{"deployment[0].scheduler.policy", "vllm-v1"}, {"deployment[0].scheduler.max_sequences", "1"}}},
      {"prompts of a step up to 8,192 tokens", {{"deployment[0].scheduler.token_budget", "8192"}}},
      {"KV sent after the prompt", {{"deployment[1].kv_transfer.when", "after"}}}};
}

double pool_kj(const ScenarioRun& run, const char* name) {
  return *std::ranges::find(run.summary.pools, name, &results::PoolSummary::name)->energy_j * 1e-3;
}

SplitFigures simulate(double rate, Settings settings) {
  settings.push_back({"workload.rate", fmt::format("{} /s", rate)});
  const ScenarioRun run = run_scenario_file(scenario, settings);
  const Latencies latencies = latencies_of(run);
  return {mean(latencies.ttft) * 1e3, mean(latencies.tpot) * 1e3, mean(latencies.e2e) * 1e3, requests_per_s(run), pool_kj(run, "prefill"), pool_kj(run, "decode"),
          run.summary.duration_s, run.summary.network->kv->exposed_s.mean * 1e6};
}

/// Keeps the change that is further from 0.
void widen(double& most, double change) {
  if (std::abs(change) > std::abs(most)) most = change;
}

SplitAssumption assumption(const Variant& variant, const std::vector<SplitFigures>& as_it_stands) {
  SplitAssumption result{variant.name, {}};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto stands = as_it_stands[i].compared(), otherwise = simulate(rates[i], variant.settings).compared();
    for (std::size_t k = 0; k < stands.size(); ++k) widen(result.most_change[k], otherwise[k] / stands[k] - 1);
  }
  return result;
}

/// Energies alone: `watts` gives a board's change from its mean power.
template <class Watts>
SplitAssumption of_power(const char* name, const std::vector<SplitFigures>& as_it_stands, const Watts& watts) {
  SplitAssumption result{name, {}};
  for (const SplitFigures& f : as_it_stands) {
    const double of_prompts = f.prompts_kj * 1e3 / f.duration_s, of_tokens = f.tokens_kj * 1e3 / f.duration_s;
    widen(result.most_change[4], watts(of_prompts) / of_prompts);
    widen(result.most_change[5], watts(of_tokens) / of_tokens);
  }
  return result;
}

}  // namespace

SplitSensitivity split_sensitivity() {
  SplitSensitivity result;
  result.rates.assign(rates.begin(), rates.end());
  for (const double rate : rates) result.figures.push_back(simulate(rate, {}));
  for (const Variant& variant : variants()) result.assumptions.push_back(assumption(variant, result.figures));
  const double idle_w = h200_idle_w();
  result.assumptions.push_back(of_power("boards that idle 10 W higher", result.figures, [](double) { return 10; }));
  result.assumptions.push_back(of_power("boards that draw 10 % less above idle, as the least of five cards did against their mean", result.figures,
                                        [&](double mean_w) { return -0.1 * (mean_w - idle_w); }));
  return result;
}

std::string split_sensitivity_page() {
  const SplitSensitivity sensitivity = split_sensitivity();
  std::string text =
      "\n## Prompts and tokens apart on two H200s: what the prediction rests on\n\n"
      "`scenarios/library/disaggregation/pd_two_h200.yaml` with another `workload.rate`: means, energy of each board over the run. No run of such a pair is at hand; this is how far each\n"
      "assumption carries.\n\n"
      "| requests/s | TTFT | TPOT | E2E | throughput | prompts' board | tokens' board | KV exposed |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (std::size_t i = 0; i < sensitivity.rates.size(); ++i) {
    const SplitFigures& f = sensitivity.figures[i];
    text += fmt::format("| {:.0f} | {:.1f} ms | {:.2f} ms | {:.0f} ms | {:.2f}/s | {:.1f} kJ | {:.1f} kJ | {:.0f} us |\n", sensitivity.rates[i], f.ttft_ms, f.tpot_ms, f.e2e_ms,
                        f.requests_per_s, f.prompts_kj, f.tokens_kj, f.exposed_us);
  }
  text += "\nThe furthest of the four rates, each assumption changed by itself:\n\n| otherwise | TTFT | TPOT | E2E | throughput | prompts' energy | tokens' energy |\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const SplitAssumption& one : sensitivity.assumptions) {
    text += "| " + one.name + " |";
    for (const double change : one.most_change) text += fmt::format(" {:+.1f} % |", change * 100);
    text += "\n";
  }
  return text;
}

}  // namespace rackwright::test
