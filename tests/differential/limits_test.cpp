// Scenarios whose result a formula gives: stated step times, and nothing else that costs anything.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
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

TEST_CASE("Chen et al.: 14.1 ms a token and a draft of 1.8 ms give 7.52 and 5.73 ms at the acceptance of XSum and HumanEval") {
  // A cycle of 14.1 + 4 · 1.8 = 21.3 ms gives (1 - a^5) / (1 - a) tokens: 2.83 at 0.711, 3.72 at 0.852.
  struct Row { double acceptance; double token_ms; };
  for (const Row& row : {Row{0.711, 7.52}, Row{0.852, 5.73}}) {
    const results::RunSummary summary = run("leviathan.yaml", {{"deployment.target.speculation.tokens", "4"},
                                                               {"deployment.target.speculation.acceptance", std::to_string(row.acceptance)},
                                                               {"deployment.target.step_times.decode", "14.1 ms"},
                                                               {"deployment.draft.step_times.decode", "1.8 ms"}});
    CAPTURE(row.acceptance);
    CHECK(summary.tpot_s->mean * 1e3 == Approx(row.token_ms).epsilon(0.015));
  }
}

TEST_CASE("FastAFD's bounds: experts that hide completely gain 1 / (1 - f_moe), with the dense part 1 / f_fmha") {
  struct Row { double attention; double dense; double experts_hidden; double both_hidden; };
  for (const Row& row : {Row{43.4, 16.2, 1.68, 2.31}, Row{48.2, 15.3, 1.57, 2.07}}) {
    const auto step = [&](double constant_ms) {
      return step_s(run("fastafd.yaml", {{"workload.requests", "48"}, {"deployment.attention.on", "gpu[0]"}, {"deployment.attention.micro_batches", "1"},
                                         {"deployment.attention.step_times.decode.constant", milliseconds(constant_ms)},
                                         {"deployment.attention.step_times.decode.per_sequence", milliseconds(row.attention / 48)}}));
    };
    CHECK(0.1 / step(row.dense) == Approx(row.experts_hidden).margin(0.01));
    CHECK(0.1 / step(0) == Approx(row.both_hidden).margin(0.01));
  }
}

TEST_CASE("DeepSeek's limit of expert parallelism: 14.76 ms a token over 50 GB/s, 0.82 ms over 900 GB/s") {
  // 61 layers, two micro-batches of 32 tokens, 9 experts of 7,000 values a token: 3 · 32 · 9 · 7000 / W each, one after another.
  CHECK(step_s(run("expert_exchange.yaml")) == Approx(2 * 61 * 3 * 32 * 9 * 7000 / 50e9).epsilon(1e-9));
  CHECK(step_s(run("expert_exchange.yaml")) * 1e3 == Approx(14.76).margin(0.005));
  CHECK(step_s(run("expert_exchange.yaml", {{"deployment.experts.exchange.bandwidth", "900 GB/s"}})) * 1e3 == Approx(0.82).margin(0.005));
}

namespace {

/// Of one decoded token, as Step-3 (arXiv 2507.19427) counts them at 8,192 tokens of context. Attention of DeepSeek-V3 with one digit more
/// than printed, since 32K multiplies it by four: 61 layers · 128 heads · (576 + 576) · 2 · 8192.
struct TokenWork {
  const char* model;
  double kv_bytes;
  double attention_flops;
  double linear_flops;
  double ffn_flops;
};

struct Chip {
  double usd_per_h;
  double flop_per_s;
  double bytes_per_s;
};

constexpr Chip step3_chips[] = {{2, 1.98e15, 3.35e12}, {0.8, 2.96e14, 4.0e12}, {0.75, 3.12e14, 2.0e12}, {0.67, 2.8e14, 1.6e12}};  // H800, H20, A800, 910B.

struct Cost {
  double attention;
  double ffn;
};

/// Dollars for a million tokens: watts stand for dollars an hour.
Cost step3_cost(const TokenWork& work, const Chip& chip, int context) {
  const auto nanoseconds = [](double seconds) { return fmt::format("{:.12g} ns", seconds * 1e9); };
  const double attention_s = std::max(work.attention_flops / chip.flop_per_s, work.kv_bytes / chip.bytes_per_s);
  const std::string power = fmt::format("{} W", chip.usd_per_h);
  const results::RunSummary summary = run("step3_cost.yaml", {{"workload.generator.input_tokens", std::to_string(context - 1)},
                                                              {"deployment.attention.step_times.decode.per_context_token", nanoseconds(attention_s / 8192)},
                                                              {"deployment.attention.step_times.decode.per_sequence", nanoseconds(work.linear_flops / chip.flop_per_s)},
                                                              {"deployment.attention.step_times.power", power},
                                                              {"deployment.ffn.step_times.decode.per_sequence", nanoseconds(work.ffn_flops / chip.flop_per_s)},
                                                              {"deployment.ffn.step_times.power", power}});
  const auto dollars = [&](const char* name) {
    const auto pool = std::ranges::find(summary.pools, name, &results::PoolSummary::name);
    return *pool->energy_j / 3600 * 1e6 / static_cast<double>(summary.requests.completed);  // One decoded token a request.
  };
  return {dollars("attention"), dollars("ffn")};
}

}  // namespace

TEST_CASE("Step-3's cost of a million decoded tokens, by model, chip and context") {
  struct Row {
    TokenWork work;
    double at_8k[4];
    double at_32k[4];
    double ffn[4];
  };
  const Row rows[] = {{{"DeepSeek-V3", 2.88e8, 1.474e11, 2.28e10, 4.84e10}, {.054, .128, .114, .113}, {.197, .460, .409, .407}, {.014, .036, .032, .032}},
                      {{"Kimi K2", 2.88e8, 7.369e10, 1.23e10, 4.84e10}, {.051, .065, .057, .057}, {.194, .231, .205, .204}, {.014, .036, .032, .032}},
                      {{"Qwen3-235B", 7.89e8, 2.52e10, 1.34e10, 2.84e10}, {.135, .054, .091, .101}, {.527, .185, .338, .376}, {.008, .021, .019, .019}}};
  for (const Row& row : rows) {
    for (std::size_t chip = 0; chip < 4; ++chip) {
      CAPTURE(row.work.model, chip);
      const Cost at_8k = step3_cost(row.work, step3_chips[chip], 8192);
      CHECK(at_8k.attention == Approx(row.at_8k[chip]).margin(0.001));
      CHECK(at_8k.ffn == Approx(row.ffn[chip]).margin(0.001));
      CHECK(step3_cost(row.work, step3_chips[chip], 32768).attention == Approx(row.at_32k[chip]).margin(0.001));
    }
  }
}

TEST_CASE("Step-3's best chips for attention and feed-forward give its totals") {
  struct Row { TokenWork work; double at_8k; double at_32k; };
  for (const Row& row : {Row{{"Step-3", 2.56e8, 3.27e10, 2.07e10, 5.33e10}, .055, .129}, Row{{"DeepSeek-V3", 2.88e8, 1.474e11, 2.28e10, 4.84e10}, .068, .211},
                         Row{{"Qwen3-235B", 7.89e8, 2.52e10, 1.34e10, 2.84e10}, .062, .193}}) {
    const auto best = [&](int context) {
      Cost least{1e9, 1e9};
      for (const Chip& chip : step3_chips) {
        const Cost cost = step3_cost(row.work, chip, context);
        least = {std::min(least.attention, cost.attention), std::min(least.ffn, cost.ffn)};
      }
      return least.attention + least.ffn;
    };
    CAPTURE(row.work.model);
    CHECK(best(8192) == Approx(row.at_8k).margin(0.0011));
    CHECK(best(32768) == Approx(row.at_32k).margin(0.0011));
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

TEST_CASE("rA-1F where the exchange or the feed-forward's own start binds: (t_C - b_F) / (a_F B), and the root of b_F / (a_F B)") {
  const auto throughput = [](int r, const std::vector<scenarios::Setting>& times) {
    Settings settings = times;
    settings.push_back({"deployment.attention.on", "gpu[0.." + std::to_string(r - 1) + "]"});
    settings.push_back({"deployment.attention.step_times.decode", "0 s"});
    settings.push_back({"workload.requests", std::to_string(r * 64 * 3)});
    return r * 64 * 3 / step_s(run("attention_ratio.yaml", settings)) / (r + 1);
  };
  const auto best = [&](const std::vector<scenarios::Setting>& times) {
    int found = 1;
    for (int r = 2; r <= 6; ++r)
      if (throughput(r, times) > throughput(found, times)) found = r;
    return found;
  };
  // An exchange of 10 ms over 126 layers beside 2 ms + r · 2 ms: (10 - 2) / 2 = 4.
  CHECK(best({{"deployment.experts.exchange.latency", milliseconds(10.0 / 126)}}) == 4);
  // Nothing but 4.5 ms + r · 0.5 ms: r / (r + 1) / (4.5 + r / 2) is largest at √(4.5 / 0.5) = 3.
  CHECK(best({{"deployment.experts.step_times.decode", "{constant: 4.5 ms, per_sequence: 7.8125 us}"}}) == 3);
}

TEST_CASE("Groq's sizing: gpt-oss-120B on 576 LPU leaves 69.7 GB for KV") {
  const scenarios::CheckedScenario scenario =
      scenarios::check_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/limits/groq_sizing.yaml", {}, scenarios::Catalog());
  REQUIRE(scenario.diagnostics.error_count() == 0);
  const cost::DataflowPlan& plan = *scenario.plans.front().dataflow;
  CHECK(plan.devices == 576);
  CHECK(plan.on_chip_bytes == Approx(132.48e9));
  CHECK(plan.on_chip_bytes - plan.weight_bytes == Approx(69.7e9).margin(0.05e9));
  CHECK(plan.weights == cost::WeightTier::on_chip);
}

TEST_CASE("LIMINAL: a token takes bytes / (n W) and a synchronisation a layer, whatever the chip") {
  // Every chip of its table reads the same bytes: 405.9 billion weights less the embedding's rows, and 4,096 tokens of KV, in fp8.
  struct Row { int chips; const char* bandwidth; double bytes_per_s; const char* sync; double sync_s; };
  for (const Row& row : {Row{8, "4 TB/s", 4e12, "0 s", 0}, Row{32, "4 TB/s", 4e12, "2.25 us", 4.5e-6}, Row{128, "18 TB/s", 18e12, "2.25 us", 4.5e-6},
                         Row{128, "30 TB/s", 30e12, "1 us", 2e-6}, Row{128, "117 TB/s", 117e12, "500 ns", 1e-6}, Row{64, "2250 TB/s", 2250e12, "0 s", 0}}) {
    const results::RunSummary summary = test::run_scenario_file(
        std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/validation/liminal.yaml",
        {{"deployment.chat.on", fmt::format("chips[0..{}]", row.chips - 1)},
         {"facility.racks.chips.rack.node.device.on_chip.bandwidth", row.bandwidth},
         {"facility.racks.chips.rack.node.device.peak.fp8", "100000 PFLOP/s"},
         {"facility.racks.chips.rack.node.device.links.scale_up", "100000 PB/s"},
         {"facility.racks.chips.rack.node.device.dataflow.sync_latency", row.sync}}).summary;
    const double bytes = (summary.tpot_s->mean - 126 * row.sync_s) * row.chips * row.bytes_per_s;
    CAPTURE(row.chips, row.bandwidth);
    CHECK(bytes == Approx(405.85e9 - 128256.0 * 16384 + 126 * 2 * 1024 * 4096.0).epsilon(0.001));
  }
}
