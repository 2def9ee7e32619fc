#include "tests/differential/published_signs.h"

#include <fmt/format.h>

#include "tests/support/scenario_run.h"

namespace rackwright::test {
namespace {

using results::RunSummary;
using Settings = std::vector<scenarios::Setting>;
using Better = PublishedSign::Better;

double attainment(const RunSummary& run) { return run.slo->attainment * 100; }
double tpot_ms(const RunSummary& run) { return run.tpot_s->mean * 1e3; }
double requests_per_s(const RunSummary& run) { return run.requests_per_s; }
double tokens_per_s(const RunSummary& run) { return run.output_tokens_per_s; }
double joules_per_token(const RunSummary& run) { return run.it->energy_j / (run.output_tokens_per_s * run.duration_s); }

Settings at(const char* rate) { return {{"workload.rate", rate}, {"workload.duration", "2 min"}}; }
Settings users(const char* count, const char* decode) { return {{"workload.requests", count}, {"deployment.launched.execution.decode", decode}}; }

}  // namespace

const std::vector<PublishedSign>& published_signs() {
  static const std::vector<PublishedSign> signs{
      {"Prefill and decode apart pays for long prompts of a large model", "Beyond the Buzz", "requests within their objectives, %", attainment, Better::higher,
       {"apart", "mixed/long_prompts_split.yaml", {}}, {"together", "mixed/long_prompts_together.yaml", {}}},
      {"and loses for long answers of a small one", "Beyond the Buzz", "requests within their objectives, %", attainment, Better::higher,
       {"together", "mixed/long_answers_together.yaml", {}}, {"apart", "mixed/long_answers_split.yaml", {}}},
      {"Tokens come sooner where prompts hold them up no more", "DistServe", "TPOT, ms", tpot_ms, Better::lower,
       {"apart", "disaggregation/pd_two_h200.yaml", at("14 /s")}, {"together", "disaggregation/colocated_two_h200.yaml", at("14 /s")}},
      {"Apart loses where the copies of KV wait for a busy peer", "own runs on two H200", "requests/s at 14 offered", requests_per_s, Better::higher,
       {"together", "disaggregation/colocated_two_h200.yaml", at("14 /s")}, {"apart", "disaggregation/pd_two_h200_waiting_copies.yaml", at("14 /s")}},
      {"A draft answers few users sooner", "vLLM: Llama-3-70B, 1.5 times as fast", "TPOT, ms", tpot_ms, Better::lower,
       {"draft", "disaggregation/speculation_two_h200.yaml", at("0.2 /s")}, {"none", "disaggregation/one_token_two_h200.yaml", at("0.2 /s")}},
      {"and many later", "vLLM: 1.4 to 1.8 times as slow", "TPOT, ms", tpot_ms, Better::lower,
       {"none", "disaggregation/one_token_two_h200.yaml", at("8 /s")}, {"draft", "disaggregation/speculation_two_h200.yaml", at("8 /s")}},
      {"and costs throughput when the devices are full", "vLLM", "tokens/s at 20 requests/s offered", tokens_per_s, Better::higher,
       {"none", "disaggregation/one_token_two_h200.yaml", at("20 /s")}, {"draft", "disaggregation/speculation_two_h200.yaml", at("20 /s")}},
      {"Launches outside graphs cost a single user most of the speed", "vLLM, Frontier", "tokens/s", tokens_per_s, Better::higher,
       {"graph", "mixed/launch_overhead.yaml", users("1", "graph")}, {"eager", "mixed/launch_overhead.yaml", users("1", "eager")}},
      {"SRAM decodes for a user sooner than GPUs", "Groq, Cerebras", "TPOT, ms", tpot_ms, Better::lower,
       {"LPU", "mixed/voice_lpu.yaml", {}}, {"GPU", "mixed/voice_gpu.yaml", {}}},
      {"and at many times the energy while one user is there", "Intelligence per watt: batch one", "J a token", joules_per_token, Better::lower,
       {"GPU", "mixed/voice_gpu.yaml", {}}, {"LPU", "mixed/voice_lpu.yaml", {}}}};
  return signs;
}

SignFigures simulated(const PublishedSign& sign) {
  const auto figure = [&](const SignSide& side) {
    return sign.figure(run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/" + side.scenario, side.settings).summary);
  };
  return {figure(sign.wins), figure(sign.loses)};
}

bool holds(const PublishedSign& sign, const SignFigures& figures) {
  return sign.better == Better::lower ? figures.wins < figures.loses : figures.wins > figures.loses;
}

std::string signs_section() {
  std::string page =
      "\n## Who wins\n\n"
      "What others say of machines and loads that are not these: the sign is the check. Scenarios are in `scenarios/library`.\n\n"
      "| claim | after | figure | said to win | said to lose | holds |\n|---|---|---|---:|---:|---|\n";
  for (const PublishedSign& sign : published_signs()) {
    const SignFigures figures = simulated(sign);
    page += fmt::format("| {} | {} | {} | {} {:.4g} | {} {:.4g} | {} |\n", sign.claim, sign.source, sign.unit, sign.wins.name, figures.wins, sign.loses.name,
                        figures.loses, holds(sign, figures) ? "yes" : "**no**");
  }
  return page;
}

}  // namespace rackwright::test
