// Scenarios whose result a formula gives: stated step times, and nothing else that costs anything.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;
using Settings = std::vector<scenarios::Setting>;

namespace {

results::RunSummary run(const std::string& scenario, const Settings& settings = {}) {
  return test::run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/limits/" + scenario, settings).summary;
}

/// Seconds between two tokens once all sequences run.
double step_s(const results::RunSummary& summary) { return summary.itl_s->p50; }

std::string milliseconds(double value) { return std::to_string(value) + " ms"; }

}  // namespace

TEST_CASE("M/D/1 through a scenario: the first token takes D + R D² / (2 (1 − R D))") {
  const double d = 0.1;
  for (const double rate : {2.0, 5.0, 8.0}) {
    const results::RunSummary summary = run("single_server.yaml", {{"workload.rate", std::to_string(rate) + " /s"}});
    CAPTURE(rate);
    // 100,000 arrivals; at load 0.8 the mean of their waits is off by 1 % in one run of three.
    CHECK(summary.ttft_s->mean == Approx(d + rate * d * d / (2 * (1 - rate * d))).epsilon(0.03));
  }
}

TEST_CASE("Speculation gains (1 − α^(γ+1)) / (1 − α) / (γ c + 1)") {
  // Leviathan's rows with c = 0.02; their formula gives 3.16, 2.26, 2.40 and 1.89.
  struct Row { int tokens; double acceptance; double gain; };
  for (const Row& row : {Row{7, 0.75, 3.16}, Row{7, 0.62, 2.26}, Row{5, 0.65, 2.40}, Row{5, 0.53, 1.89}}) {
    const results::RunSummary summary = run("leviathan.yaml", {{"deployment.target.speculation.tokens", std::to_string(row.tokens)},
                                                               {"deployment.target.speculation.acceptance", std::to_string(row.acceptance)}});
    CAPTURE(row.tokens, row.acceptance);
    // Some 30,000 cycles of random length: a standard error of half a percent.
    CHECK(10e-3 / summary.tpot_s->mean == Approx(row.gain).epsilon(0.015));
  }
}

TEST_CASE("FastAFD's prediction: B ratio · T / T_AFD · M / (M + N)") {
  // Shares of attention, dense and expert kernels at 8K and 16K; 1.5 times the batch; 17 to 1.
  struct Row { double attention; double dense; double gain; };
  for (const Row& row : {Row{43.4, 16.2, 1.453}, Row{48.2, 15.3, 1.377}}) {
    const std::string per_sequence = milliseconds(row.attention / 48);
    const results::RunSummary apart = run("fastafd.yaml", {{"deployment.attention.step_times.decode.constant", milliseconds(row.dense)},
                                                           {"deployment.attention.step_times.decode.per_sequence", per_sequence}});
    const results::RunSummary together = run("fastafd_colocated.yaml", {{"deployment.all.step_times.decode.constant", milliseconds(100 - row.attention)},
                                                                        {"deployment.all.step_times.decode.per_sequence", per_sequence}});
    CHECK(step_s(together) == Approx(0.1));
    const double apart_per_gpu = 1224 / step_s(apart) / 18;
    const double together_per_gpu = 48 / step_s(together);
    CAPTURE(row.attention);
    CHECK(apart_per_gpu / together_per_gpu == Approx(row.gain).margin(0.0005));
  }
}

TEST_CASE("Enough micro-batches keep both sides busy: m ≥ 2 (1 + T_c / T_f)") {
  // R = T_a + T_e + 2 T_c of a layer. m T_f ≥ R: R + (m L − 1) T_f; else L R + (m − 1) T_f. MegaScale-Infer's bounds hold:
  // R + m T_f (L − 1) ≤ T_iter ≤ m T_f L for the first micro-batch.
  const double layers = 126;
  const double f = 100e-6;
  for (const double exchange : {10e-6, 45e-6, 60e-6, 90e-6}) {
    for (const int m : {1, 2, 3, 4}) {
      const results::RunSummary summary = run("micro_batches.yaml", {{"deployment.attention.micro_batches", std::to_string(m)},
                                                                     {"deployment.experts.exchange.latency", milliseconds(exchange * 1e3)}});
      const double round = 2 * f + 2 * exchange;
      const bool enough = m >= 2 * (1 + exchange / f);
      CAPTURE(exchange, m, enough);
      CHECK(step_s(summary) == Approx(enough ? round + (m * layers - 1) * f : layers * round + (m - 1) * f).epsilon(1e-6));
    }
  }
}

TEST_CASE("The best number of attention workers to one feed-forward worker is rA-1F's") {
  // τ = max(10 ms, 2 ms + r · 64 · 31.25 us): 4, 6, 8, 10, 12, 14 ms on the feed-forward side for r = 1 … 6.
  double best = 0;
  int best_r = 0;
  for (int r = 1; r <= 6; ++r) {
    const int sequences = r * 64 * 3;
    const results::RunSummary summary = run("attention_ratio.yaml", {{"deployment.attention.on", "gpu[0.." + std::to_string(r - 1) + "]"},
                                                                     {"workload.requests", std::to_string(sequences)}});
    const double throughput = sequences / step_s(summary) / (r + 1);
    const double tau = std::max(10e-3, 2e-3 + r * 64 * 31.25e-6);
    CAPTURE(r);
    // The first round of a step fills both sides: less than one of the 378 turns more.
    CHECK(throughput == Approx(r * 64 / tau / (r + 1)).epsilon(0.003));
    if (throughput > best) best_r = r;
    best = std::max(best, throughput);
  }
  CHECK(best_r == 4);
}
