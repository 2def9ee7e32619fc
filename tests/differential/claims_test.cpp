// What publications say of serving in words, each as a scenario of the library whose report shows it.
#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;

namespace {

results::RunSummary run(const std::string& scenario, const std::vector<scenarios::Setting>& settings = {}) {
  return test::run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/mixed/" + scenario, settings).summary;
}

double share(const results::BoundShares& shares, const std::string& bound) {
  for (std::size_t i = 0; i < results::bound_names.size(); ++i) {
    if (results::bound_names[i] == bound) return shares.at(i);
  }
  return 0;
}

const results::PoolSummary& pool(const results::RunSummary& summary, const std::string& name) {
  return *std::ranges::find(summary.pools, name, &results::PoolSummary::name);
}

/// Of decode steps with about so many sequences.
const results::DecodeBatch& at(const results::PoolSummary& pool, double sequences) {
  return *std::ranges::min_element(pool.decode_batches, {}, [&](const results::DecodeBatch& batch) { return std::abs(batch.sequences - sequences); });
}

}  // namespace

TEST_CASE("Launches cost most of the throughput at low concurrency and less the more users there are") {
  // One run: users arrive at two pools that differ in how steps are launched, and leave again.
  const results::RunSummary run_of_both = run("launch_overhead.yaml");
  const results::PoolSummary &eager = pool(run_of_both, "launched"), &graphs = pool(run_of_both, "graphs");
  CHECK(at(eager, 1).tokens_per_s() < 0.5 * at(graphs, 1).tokens_per_s());
  CHECK(share(at(eager, 1).bound, "host") > 0.5);
  double lost = 1;
  for (const double users : {1, 8, 64, 256}) {
    const double now = 1 - at(eager, users).tokens_per_s() / at(graphs, users).tokens_per_s();
    CHECK(now < lost);
    lost = now;
  }
  CHECK(share(at(eager, 256).bound, "host") < 0.5);
  CHECK(share(at(graphs, 1).bound, "host") < 0.2);
}

TEST_CASE("Decode of an 8B model stays bound by memory bandwidth up to a batch of 128, and mostly so beyond") {
  const results::RunSummary all = run("decode_bandwidth.yaml");
  const results::PoolSummary& chat = pool(all, "chat");
  for (const double users : {1, 8, 64, 128}) CHECK(share(at(chat, users).bound, "memory") > 0.6);
  CHECK(share(at(chat, 512).bound, "memory") > 0.3);
  CHECK(at(chat, 128).tokens_per_s() > 1.4 * at(chat, 64).tokens_per_s());
  // Another user adds less the more there are.
  CHECK(at(chat, 512).tokens_per_s() < 2 * at(chat, 256).tokens_per_s());
}

TEST_CASE("A caller of a voice agent waits less on SRAM than on GPUs, at many times the power") {
  const results::RunSummary gpu = run("voice_gpu.yaml");
  const results::RunSummary lpu = run("voice_lpu.yaml");
  CHECK(gpu.slo->attainment > 0.99);  // The 95th percentile is what the objective asks for.
  CHECK(lpu.slo->attainment == 1);
  CHECK(lpu.tpot_s->mean < 0.6 * gpu.tpot_s->mean);
  CHECK(lpu.ttft_s->p95 < 0.3 * gpu.ttft_s->p95);
  CHECK(lpu.it->mean_w > 20 * gpu.it->mean_w);
}

TEST_CASE("A socket serves a small model within the limits of its memory bandwidth") {
  // 0.6B weights in bf16 less the embedding, which is tied to the head and read there: 1.19 GB over 0.8 · 614 GB/s.
  const results::RunSummary cpu = run("small_model_on_cpu.yaml");
  CHECK(cpu.slo->attainment == 1);
  CHECK(cpu.itl_s->p50 > 1.19e9 / (0.8 * 614e9));
  CHECK(cpu.itl_s->p50 < 2 * 1.19e9 / (0.8 * 614e9));
}

TEST_CASE("A draft on SRAM answers sooner than one on a socket, which holds the target up, and both need their watts") {
  const results::RunSummary cpu = run("draft_on_cpu.yaml");
  const results::RunSummary lpu = run("draft_on_sram.yaml");
  CHECK(lpu.tpot_s->mean < 0.7 * cpu.tpot_s->mean);
  CHECK(lpu.it->energy_j > cpu.it->energy_j);
}

TEST_CASE("Splitting prompts from tokens pays for long prompts of a large model, and loses for long answers of a small one") {
  // The signs of "Beyond the Buzz": rates at which one of the two keeps its objectives for 90 % of the requests and the other does not.
  CHECK(run("long_prompts_split.yaml").slo->attainment >= 0.9);
  CHECK(run("long_prompts_together.yaml").slo->attainment < 0.9);
  CHECK(run("long_answers_split.yaml").slo->attainment < 0.9);
  CHECK(run("long_answers_together.yaml").slo->attainment >= 0.9);
}
