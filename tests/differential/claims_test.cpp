// What publications say of serving in words, each as a scenario of the library whose report shows it.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;

namespace {

results::RunSummary run(const std::string& scenario, const std::vector<scenarios::Setting>& settings = {}) {
  return test::run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/mixed/" + scenario, settings).summary;
}

double share(const results::RunSummary& summary, const std::string& bound) {
  for (std::size_t i = 0; i < results::bound_names.size(); ++i) {
    if (results::bound_names[i] == bound) return summary.bound->at(i);
  }
  return 0;
}

std::vector<scenarios::Setting> users(int count) { return {{"workload.requests", std::to_string(count)}}; }

}  // namespace

TEST_CASE("Launches cost most of the throughput at low concurrency and nothing at high") {
  const scenarios::Setting graph{"deployment.chat.execution.decode", "graph"};
  const results::RunSummary one = run("launch_overhead.yaml");
  const results::RunSummary one_in_graphs = run("launch_overhead.yaml", {graph});
  CHECK(one.output_tokens_per_s < 0.5 * one_in_graphs.output_tokens_per_s);
  CHECK(share(one, "host") > 0.5);
  const results::RunSummary many = run("launch_overhead.yaml", users(1024));
  std::vector<scenarios::Setting> many_graph = users(1024);
  many_graph.push_back(graph);
  CHECK(many.output_tokens_per_s > 0.98 * run("launch_overhead.yaml", many_graph).output_tokens_per_s);
  CHECK(share(many, "host") < 0.01);
}

TEST_CASE("Decode of an 8B model stays bound by memory bandwidth up to a batch of 128, and mostly so beyond") {
  const results::RunSummary at_64 = run("decode_bandwidth.yaml", users(64));
  const results::RunSummary at_128 = run("decode_bandwidth.yaml");
  CHECK(share(at_64, "memory") > 0.75);
  CHECK(share(at_128, "memory") > 0.75);
  CHECK(share(run("decode_bandwidth.yaml", users(512)), "memory") > 0.5);
  CHECK(at_128.output_tokens_per_s > 1.4 * at_64.output_tokens_per_s);
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
