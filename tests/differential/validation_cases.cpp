#include "tests/differential/validation_cases.h"

#include "tests/differential/latencies.h"
#include "tests/support/scenario_run.h"

namespace rackwright::test {
const std::vector<ValidationCase>& validation_cases() {
  static const std::vector<ValidationCase> cases{
      {"Llama-3.1-8B bf16 on one H200, own engine, 4 requests/s", "scenarios/library/validation/h200_8b_colocated.yaml",
       "measured/h200-llama-3.1-8b-colocated/requests.csv",
       "operators from this project's H200 profile; graph sizes and token budget of the engine; host time 970 us: the pause of 100 us between two steps, and 870 us fitted to the decode-only steps of this run, so that only its other figures are checks",
       {0.02, 0.03, 0.03, 0.03, 0.02}, 53596},
      {"Llama-3.1-8B bf16 on one RTX PRO 6000, vLLM 0.19", "scenarios/library/validation/vllm_8b_rtx_pro_6000.yaml",
       "measured/vllm-0.19-rtxpro6000-llama-3.1-8b/requests.jsonl",
       "operators from the profile beside it; engine vLLM, token budget and sequences of the run; host time 700 us, fitted to the mean TPOT of this run",
       {0.025, 0.01, 0.01, 0.03}},
      {"Qwen3-32B bf16 at TP2 on two RTX PRO 6000, vLLM 0.19", "scenarios/library/validation/vllm_32b_rtx_pro_6000.yaml",
       "measured/vllm-0.19-rtxpro6000-qwen3-32b/requests.jsonl",
       "operators from the profile beside it, which holds no all-reduce. Its link is the 16 and 20 us of the run's config.json, which are GiB/s, as ASTRA-sim reads them: NCCL as a ring, and below 8 MiB vLLM's own kernel, which reads the peer's buffer at 0.76 of the link after 4.7 us. Engine vLLM, with the host time of 700 us fitted to the 8B run. Nothing of ours was fitted to this run; of the 20 us its authors say that they were",
       {0.02, 0.01, 0.01, 0.03}}};
  return cases;
}

std::vector<ValidationFigure> validate(const ValidationCase& one) {
  const ScenarioRun run = run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/" + one.scenario);
  Latencies simulated;
  Latencies measured;
  for (const metrics::RequestOutcome& request : run.requests) {
    if (request.outcome != metrics::Outcome::completed || !request.logged.first_token || !request.logged.completion) continue;
    simulated.add(request.ttft().seconds(), request.e2e().seconds(), request.output_tokens);
    measured.add((*request.logged.first_token - request.arrival).seconds(), (*request.logged.completion - request.arrival).seconds(),
                 request.output_tokens);
  }
  const auto milliseconds = [](const char* name, double was_s, double is_s, double bound) {
    return ValidationFigure{name, was_s * 1e3, is_s * 1e3, "ms", bound};
  };
  std::vector<ValidationFigure> figures{milliseconds("TTFT mean", mean(measured.ttft), mean(simulated.ttft), one.bounds[0]),
                                        milliseconds("TPOT mean", mean(measured.tpot), mean(simulated.tpot), one.bounds[1]),
                                        milliseconds("E2E mean", mean(measured.e2e), mean(simulated.e2e), one.bounds[2]),
                                        milliseconds("TPOT p99", p99(measured.tpot), p99(simulated.tpot), one.bounds[3])};
  if (one.measured_energy_j > 0) {
    figures.push_back({"energy", one.measured_energy_j * 1e-3, run.summary.it->energy_j * 1e-3, "kJ", one.bounds[4]});
  }
  return figures;
}

}  // namespace rackwright::test
