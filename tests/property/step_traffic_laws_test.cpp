#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;

namespace {

/// Replicas of a mixture of experts, each over two nodes, with what else the hall holds.
std::string experts(const std::string& fabric, int replicas, const std::string& more = "") {
  return "schema: rackwright/v1\n"
         "workload: {generator: {input_tokens: 1000, output_tokens: 40}, rate: 30 /s, duration: 3 s}\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 6}]}\n" +
         fabric +
         "deployment:\n"
         "  - {pool: all, model: qwen3-30b-a3b, on: \"gpu[0.." + std::to_string(16 * replicas - 1) + "]\", data_parallel: 16, expert_parallel: 16}\n" +
         more;
}

/// Tokens on sixteen devices of two nodes, prompts on a third; `kv` is a line of the decode pool.
std::string disaggregated(const std::string& kv) {
  return "schema: rackwright/v1\n"
         "workload: {generator: {input_tokens: 8000, output_tokens: 200}, rate: 100 /s, duration: 3 s}\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 3}]}\n"
         "fabric: {scale_out: {rails: 8, link: 25 Gb/s}}\n"
         "deployment:\n"
         "  - {pool: prompts, role: prefill, model: qwen3-30b-a3b, on: \"gpu[16..23]\"}\n"
         "  - {pool: tokens, role: decode, model: qwen3-30b-a3b, on: \"gpu[0..15]\", data_parallel: 16, expert_parallel: 16" + kv + "}\n";
}

double exposed_share(const results::RunSummary& summary, const std::string& pool) {
  for (const results::PoolCommunication& one : summary.network->pools)
    if (one.name == pool) return one.all.share_of_busy;
  return -1;
}

constexpr const char* rails = "fabric: {scale_out: {rails: 8}}\n";

}  // namespace

TEST_CASE("Exchanges with experts that nothing meets take what they cost, as flows or as costs") {
  // Two replicas on nodes of their own under leaves that block nothing: their flows never share a link.
  CHECK(test::run_scenario(experts(rails, 2)).requests_csv == test::run_scenario(experts("", 2)).requests_csv);
}

TEST_CASE("One instance alone in its network has no flows, since nothing can meet them") {
  const test::ScenarioRun run = test::run_scenario(experts(rails, 1));
  CHECK((!run.summary.network || run.summary.network->bytes.value_or(0) == 0));
}

TEST_CASE("Flows of exchanges are the bytes that go to experts on other nodes") {
  // Of each token in each of 48 layers of experts, 8 rows of 2,048 values to 16 ranks alike: half of them on the other node.
  const test::ScenarioRun run = test::run_scenario(experts(rails, 2));
  REQUIRE(run.summary.network);
  REQUIRE(run.summary.network->bytes);
  CHECK(*run.summary.network->bytes > 0);
  for (const results::LinkLoad& load : run.summary.network->links)
    if (load.name == "nic") CHECK(load.bytes == Approx(2 * *run.summary.network->bytes).epsilon(1e-9));
  CHECK(run.timeline_csv.find("network.nic.utilization") == std::string::npos);  // Added where the run folder is written.
}

TEST_CASE("A network narrower than the cards makes exchanges longer, with nothing else on it") {
  const auto share = [](const std::string& link) {
    return exposed_share(test::run_scenario(experts("fabric: {scale_out: {rails: 8, link: " + link + "}}\n", 1)).summary, "all");
  };
  const double at_cards = share("400 Gb/s");
  CHECK(at_cards > 0);
  CHECK(share("50 Gb/s") > 1.1 * at_cards);
  CHECK(share("800 Gb/s") == Approx(at_cards));
}

TEST_CASE("KV that comes over the same cards holds exchanges with experts up") {
  const double shared = exposed_share(test::run_scenario(disaggregated("")).summary, "tokens");
  const double apart = exposed_share(test::run_scenario(disaggregated(", kv_transfer: {bandwidth: 200 GB/s}")).summary, "tokens");
  CHECK(apart > 0);
  CHECK(shared > 1.05 * apart);
}

TEST_CASE("Exchanges that meet KV are the same whether the rest of the run jumps or walks") {
  const std::string text = disaggregated("");
  CHECK(test::run_scenario(text, serving::Jumping::on).summary_json == test::run_scenario(text, serving::Jumping::off).summary_json);
}

TEST_CASE("A mechanism that moves KV with multiprocessors takes them from the sender's compute") {
  const auto e2e = [](int sms) {
    const std::string text =
        "schema: rackwright/v1\n"
        "workload: {generator: {input_tokens: 6000, output_tokens: 2}, rate: 40 /s, duration: 3 s}\n"
        "facility: {racks: [{name: gpu, rack: hgx-h200-air}]}\n"
        "fabric: {mechanisms: {sm_stores: {start_up: 1 us, efficiency: 5 %, sms: " + std::to_string(sms) + "}}}\n"
        "deployment:\n"
        "  - {pool: prompts, role: prefill, model: llama-3.1-8b, on: \"gpu[0..3]\"}\n"
        "  - {pool: tokens, role: decode, model: llama-3.1-8b, on: \"gpu[4..7]\", kv_transfer: {mechanism: sm-stores}}\n";
    return test::run_scenario(text).summary.ttft_s.value().mean;
  };
  CHECK(e2e(66) > 1.1 * e2e(0));
}
