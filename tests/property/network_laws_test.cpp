#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;

namespace {

/// Prompts on one node, tokens on another; `fabric` is a line of the scenario.
std::string two_nodes(const std::string& fabric) {
  return "schema: rackwright/v1\n"
         "workload: {generator: {input_tokens: 2000, output_tokens: 50}, rate: 20 /s, duration: 5 s}\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 2}]}\n" +
         fabric +
         "deployment:\n"
         "  - {pool: prompts, role: prefill, model: llama-3.1-8b, on: \"gpu[0..7]\"}\n"
         "  - {pool: tokens, role: decode, model: llama-3.1-8b, on: \"gpu[8..15]\"}\n";
}

double bytes_of(const results::RunSummary& summary, const std::string& link) {
  for (const results::LinkLoad& load : summary.network->links)
    if (load.name == link) return load.bytes;
  return -1;
}

double share(const std::string& overlap) {
  const test::ScenarioRun run =
      test::run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/network/llama_70b_prefill_overlap_" + overlap + ".yaml",
                              {{"workload.duration", "5 s"}});
  REQUIRE(run.summary.network);
  REQUIRE(run.summary.network->pools.size() == 1);
  const results::PoolCommunication& pool = run.summary.network->pools[0];
  CHECK(pool.all.share_of_busy == Approx(run.summary.network->share_of_busy));
  REQUIRE(pool.prefill);
  CHECK_FALSE(pool.decode);  // One token a request: every step computes a prompt.
  return run.summary.network->share_of_busy;
}

}  // namespace

TEST_CASE("KV that goes from node to node is carried by cards, once out and once in, and every byte of it") {
  const test::ScenarioRun run = test::run_scenario(two_nodes("fabric: {scale_out: {rails: 8}}\n"));
  REQUIRE(run.summary.network);
  REQUIRE(run.summary.network->bytes);
  // 131,072 bytes a token of 8B in bf16: 32 layers, 8 heads of 128, keys and values. At least the prompt of each request.
  const double kv = 131072.0 * 2000 * static_cast<double>(run.summary.requests.completed);
  CHECK(*run.summary.network->bytes >= kv * 0.999);
  CHECK(*run.summary.network->bytes <= kv * 1.02);
  CHECK(bytes_of(run.summary, "nic") == Approx(2 * *run.summary.network->bytes).epsilon(1e-9));
  CHECK(bytes_of(run.summary, "scale-up") == 0);
}

TEST_CASE("A run over a network is the same whether it jumps or walks") {
  const std::string flows = GENERATE("bundled", "per-rail");
  const std::string text = two_nodes("fabric: {scale_out: {flows: " + flows + ", oversubscription: 2}}\n");
  CHECK(test::run_scenario(text, serving::Jumping::on).summary_json == test::run_scenario(text, serving::Jumping::off).summary_json);
}

TEST_CASE("A narrower network never brings KV earlier") {
  const auto exposed = [](const std::string& link) {
    return test::run_scenario(two_nodes("fabric: {scale_out: {link: " + link + "}}\n")).summary.network->exposed_s;
  };
  CHECK(exposed("400 Gb/s") <= exposed("25 Gb/s"));
}

TEST_CASE("Prefill of a 70B model on eight GPUs spends up to half of its time in the network, and little of it when tiles are sent as they are done") {
  const double none = share("none");
  CHECK(none > 0.45);
  CHECK(none < 0.55);
  CHECK(share("layer") < none / 2);
  CHECK(share("tile") < none / 2);
}
