#include "tests/support/catch.h"
#include "tests/support/scenario_run.h"

using namespace rackwright;

namespace {

/// Replicas of a dense model, each over the sixteen devices of two nodes, from the second node of the hall on.
std::string groups(const std::string& fabric, const std::string& workload, int replicas = 2) {
  return "schema: rackwright/v1\n"
         "workload: " + workload + "\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 6}]}\n" +
         fabric +
         "deployment:\n"
         "  - {pool: all, model: llama-3.1-70b, on: \"gpu[8.." + std::to_string(16 * replicas + 7) + "]\", tensor_parallel: 16}\n";
}

constexpr const char* rails = "fabric: {scale_out: {rails: 8}}\n";
/// Two nodes below each set of leaves, whose way up is half as wide: the second node of one group and the first of the other
/// share it.
constexpr const char* narrow = "fabric: {scale_out: {rails: 8, hosts_per_pod: 2, oversubscription: 2}}\n";
constexpr const char* load = "{generator: {input_tokens: 1000, output_tokens: 40}, rate: 10 /s, duration: 3 s}";

/// Of `requests` that come together, each to a replica of its own: one prompt of 2,000 tokens, one token.
double ttft_s(const std::string& fabric, int requests) {
  const std::string workload = "{generator: {input_tokens: 2000, output_tokens: 1}, rate: 1000000 /s, requests: " + std::to_string(requests) + "}";
  return test::run_scenario(groups(fabric, workload)).summary.ttft_s->max;
}

}  // namespace

TEST_CASE("Tensor groups over nodes that nothing meets take what they cost, as flows or as costs") {
  // Two replicas under leaves that block nothing: their flows never share a link.
  CHECK(test::run_scenario(groups(rails, load)).requests_csv == test::run_scenario(groups("", load)).requests_csv);
}

TEST_CASE("One tensor group alone in its network has no flows, since nothing can meet them") {
  const test::ScenarioRun run = test::run_scenario(groups(rails, load, 1));
  CHECK((!run.summary.network || run.summary.network->bytes.value_or(0) == 0));
}

TEST_CASE("Flows of a tensor group are the bytes of its collectives that leave a node") {
  // Llama-3.1-70B: an all-reduce after the embedding and two in each of 80 layers, of 8,192 values of two bytes a token. Over two
  // nodes whose switches sum, each node sends its sum once to the other: two flows. The logits of the one sampled token,
  // 128,256 values, pass fifteen sixteenths of a ring.
  const test::ScenarioRun run = test::run_scenario(groups(rails, "{generator: {input_tokens: 2000, output_tokens: 1}, rate: 1 /s, requests: 1}"));
  REQUIRE(run.summary.network);
  CHECK(run.summary.network->bytes.value() == Approx(2 * (2000.0 * 161 * 8192 * 2 + 128256 * 2 * 15.0 / 16)).epsilon(1e-9));
}

TEST_CASE("Two tensor groups on the same links slow each other as max-min says") {
  // Each sends 2,000 · 161 · 16 KiB = 5.28 GB and the logits out of each node, priced at 8 · 43.5 GB/s. On the way up of a pod, 8 · 50
  // GB/s, one alone has all that its cards can send; two have 8 · 25 GB/s each: 15.2 ms become 26.4 ms.
  const double bytes = 2000.0 * 161 * 8192 * 2 + 128256 * 2 * 15.0 / 16;
  const double alone = ttft_s(narrow, 1);
  CHECK(alone == Approx(ttft_s(rails, 1)).epsilon(1e-6));
  CHECK(ttft_s(narrow, 2) - alone == Approx(bytes / (8 * 25e9) - bytes / (8 * 0.87 * 50e9)).epsilon(0.01));
  CHECK(ttft_s(rails, 2) == Approx(alone).epsilon(1e-6));
}

TEST_CASE("Tensor groups that meet on their network are the same whether the rest of the run jumps or walks") {
  const std::string text = groups(narrow, load);
  CHECK(test::run_scenario(text, serving::Jumping::on).summary_json == test::run_scenario(text, serving::Jumping::off).summary_json);
}

TEST_CASE("A tensor group over two nodes waits longer for its collectives than one inside a node") {
  // 16 MB a prompt and all-reduce take 0.1 ms over NVLink; over two nodes of the same NVLink nothing is quicker, and every start
  // is 18 us or more against 5.
  const auto exposed = [](const std::string& deployment) {
    const test::ScenarioRun run = test::run_scenario(
        "schema: rackwright/v1\n"
        "workload: {generator: {input_tokens: 1000, output_tokens: 40}, rate: 10 /s, duration: 3 s}\n"
        "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 2}]}\n"
        "deployment:\n"
        "  - {pool: all, model: llama-3.1-70b, " + deployment + "}\n");
    return run.summary.network->pools.at(0).all.share_of_busy;
  };
  CHECK(exposed("on: \"gpu[0..15]\", tensor_parallel: 16") > 1.5 * exposed("on: \"gpu[0..7]\", tensor_parallel: 8"));
}
