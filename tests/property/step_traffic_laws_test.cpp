#include <algorithm>

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

/// Attention on one node and feed-forward on another, prompts on a third; `kv` is a line of the attention pool.
std::string layer_sides(const std::string& link, const std::string& workload, const std::string& kv) {
  return "schema: rackwright/v1\n"
         "workload: " + workload + "\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 3}]}\n"
         "fabric: {scale_out: {rails: 8, link: " + link + "}}\n"
         "deployment:\n"
         "  - {pool: prompts, role: prefill, model: qwen3-30b-a3b, on: \"gpu[16..23]\"}\n"
         "  - {pool: attention, role: attention, model: qwen3-30b-a3b, on: \"gpu[0..7]\", micro_batches: 2" + kv + "}\n"
         "  - {pool: experts, role: ffn, serves: attention, model: qwen3-30b-a3b, on: \"gpu[8..15]\"}\n";
}

constexpr const char* one_request = "{generator: {input_tokens: 1000, output_tokens: 200}, rate: 1 /s, requests: 1}";
constexpr const char* many_requests = "{generator: {input_tokens: 8000, output_tokens: 100}, rate: 60 /s, duration: 3 s}";
constexpr const char* own_kv = ", kv_transfer: {bandwidth: 200 GB/s}";

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

TEST_CASE("Activations between both sides of the layers that nothing meets take what they cost, as flows or as costs") {
  // The KV of the one request is there before it decodes.
  const results::RunSummary flows = test::run_scenario(layer_sides("400 Gb/s", one_request, "")).summary;
  const results::RunSummary costs = test::run_scenario(layer_sides("400 Gb/s", one_request, own_kv)).summary;
  CHECK(flows.itl_s->p50 == costs.itl_s->p50);
  // 48 layers of 2,048 values of two bytes for each of 199 tokens, to the one instance of the other side and back.
  const double activations = 199.0 * 48 * 2048 * 2 * 2;
  CHECK(*flows.network->bytes - 1000 * 98'304.0 == Approx(activations * 8).epsilon(1e-6));
}

TEST_CASE("KV that comes over the same cards holds up activations between both sides of the layers") {
  const results::RunSummary shared = test::run_scenario(layer_sides("25 Gb/s", many_requests, "")).summary;
  const results::RunSummary apart = test::run_scenario(layer_sides("25 Gb/s", many_requests, own_kv)).summary;
  CHECK(shared.itl_s->mean > 1.02 * apart.itl_s->mean);
}

TEST_CASE("Activations that meet KV are the same whether the rest of the run jumps or walks") {
  const std::string text = layer_sides("25 Gb/s", many_requests, "");
  CHECK(test::run_scenario(text, serving::Jumping::on).summary_json == test::run_scenario(text, serving::Jumping::off).summary_json);
}

namespace {

/// A target on one node and its draft on another, whose KV comes from a third unless `kv` says otherwise. Drafted tokens go with
/// their probabilities: an id and 151,936 times two bytes.
std::string drafted(const std::string& workload, const std::string& mode, const std::string& kv, int pairs = 1, const std::string& leaves = "") {
  const std::string last = std::to_string(pairs - 1);
  return "schema: rackwright/v1\n"
         "workload: " + workload + "\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 3}]}\n"
         "fabric: {scale_out: {rails: 1, link: 25 Gb/s" + leaves + "}}\n"
         "deployment:\n"
         "  - {pool: prompts, role: prefill, model: qwen3-8b, on: \"gpu[16..19]\"}\n"
         "  - {pool: chat, role: decode, model: qwen3-8b, on: \"gpu[0.." + last + "]\"" + kv + ",\n"
         "     speculation: {tokens: 4, acceptance: 0.7, draft_pool: draft, payload: probabilities, mode: " + mode + "}}\n"
         "  - {pool: draft, role: draft, model: qwen3-0.6b, on: \"gpu[8.." + std::to_string(8 + pairs - 1) + "]\"}\n";
}

}  // namespace

TEST_CASE("Drafts that nothing meets take what they cost, as flows or as costs") {
  for (const char* mode : {"serial", "parallel"}) {
    // The KV of the one request is there before it decodes; stated KV leaves one pair alone in the network, and no flows.
    const results::RunSummary flows = test::run_scenario(drafted(one_request, mode, "")).summary;
    const results::RunSummary costs = test::run_scenario(drafted(one_request, mode, own_kv)).summary;
    CAPTURE(mode);
    const auto chat = [](const results::RunSummary& run) { return *std::ranges::find(run.pools, "chat", &results::PoolSummary::name); };
    CHECK(chat(flows).busy_s == chat(costs).busy_s);
    CHECK((!costs.network || costs.network->bytes.value_or(0) == 0));
    // Four tokens out and four back in each step, beside the KV of 1,000 tokens.
    CHECK(*flows.network->bytes - 1000 * 147'456.0 == Approx(static_cast<double>(chat(flows).steps) * 2 * 4 * 303'876).epsilon(1e-6));
  }
}

TEST_CASE("KV that comes over the same card holds up drafts, serial ones both ways") {
  constexpr const char* prompts = "{generator: {input_tokens: 4000, output_tokens: 100}, rate: 4 /s, duration: 4 s}";
  for (const char* mode : {"serial", "parallel"}) {
    const results::RunSummary shared = test::run_scenario(drafted(prompts, mode, "")).summary;
    const results::RunSummary apart = test::run_scenario(drafted(prompts, mode, own_kv)).summary;
    CAPTURE(mode);
    CHECK(shared.itl_s->mean > 1.02 * apart.itl_s->mean);
  }
}

TEST_CASE("Drafts of several targets meet each other on the way that they share") {
  // A node's eight cards have one cable up: eight times as much below their leaf as above it. Eight sequences a target, alone or beside three others: as costs their steps would be alike.
  const auto answers = [](int requests) {
    return "{generator: {input_tokens: 100, output_tokens: 100}, rate: 1000 /s, requests: " + std::to_string(requests) + "}";
  };
  constexpr const char* narrow = ", hosts_per_pod: 1, oversubscription: 8";
  const results::RunSummary one = test::run_scenario(drafted(answers(8), "serial", own_kv, 1, narrow)).summary;
  const results::RunSummary four = test::run_scenario(drafted(answers(32), "serial", own_kv, 4, narrow)).summary;
  CHECK((!one.network || one.network->bytes.value_or(0) == 0));
  CHECK(four.tpot_s->mean > 1.1 * one.tpot_s->mean);
}

TEST_CASE("Drafts that meet KV are the same whether the rest of the run jumps or walks") {
  const std::string text = drafted(many_requests, "serial", "", 2);
  CHECK(test::run_scenario(text, serving::Jumping::on).summary_json == test::run_scenario(text, serving::Jumping::off).summary_json);
}
