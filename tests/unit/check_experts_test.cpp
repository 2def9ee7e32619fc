#include <fmt/format.h>

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/check_findings.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using scenarios::Setting;
using test::findings;
using test::has;

namespace {

/// 128 experts, of which a token chooses 8, over sixteen devices in two nodes.
const std::string moe =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 300, output_tokens: 10}, rate: 10 /s, requests: 10}\n"
    "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
    "deployment: [{pool: c, model: qwen3-30b-a3b, on: \"a[0..15]\", data_parallel: 16, scheduler: {max_sequences: 16, token_budget: 512}}]\n";

Setting experts(const std::string& value) { return {"deployment.c.experts", value}; }

std::string table_findings(const std::string& lines) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "e.csv") << lines;
  return findings({experts(fmt::format("{{load: table, table: {}}}", (folder.path() / "e.csv").string()))}, moe);
}

}  // namespace

TEST_CASE("What is said of experts without effect is warned of, with the reason") {
  CHECK(findings({}, moe).empty());
  CHECK(findings({experts("{load: power-law, placement: balanced, redundant: 1, token_nodes: 1, dispatch: forwarded}")}, moe).empty());
  CHECK(has(findings({experts("{placement: balanced}")}, moe), "experts.placement, because every expert is chosen as often"));
  CHECK(has(findings({experts("{token_nodes: 2}")}, moe), "experts.token_nodes, because there are no more nodes"));
  CHECK(has(findings({experts("{load: power-law, seed: 3, placement: balanced}")}, moe), "experts.seed, because experts are placed by their load"));
  const std::vector<Setting> in_one{{"deployment.c.on", "a[0..7]"}, {"deployment.c.data_parallel", "8"}, experts("{dispatch: forwarded}")};
  CHECK(has(findings(in_one, moe), "experts.dispatch, because one scale-up domain holds all experts"));
  const std::vector<Setting> split{{"deployment.c.on", "a[0..3]"}, {"deployment.c.data_parallel", "1"}, {"deployment.c.tensor_parallel", "4"}, experts("{placement: balanced}")};
  CHECK(has(findings(split, moe), "experts.placement, because each expert is split over all devices"));
  const std::vector<Setting> dense{{"deployment.c.model", "llama-3.1-8b"}, {"deployment.c.data_parallel", "1"}, experts("power-law")};
  CHECK(has(findings(dense, moe), "has no experts"));
}

TEST_CASE("Copies of experts count as weights: what leaves no room for KV is infeasible") {
  // 128 x 3 x 2048 x 768 values of bf16 in each of 48 layers are 58 GB; 64 copies a device are 29 GB more than its 8 experts.
  CHECK(findings({experts("{placement: balanced, redundant: 64}")}, moe).empty());
  CHECK(has(findings({experts("{placement: balanced, redundant: 64}"), {"deployment.c.kv_cache.memory_fraction", "0.2"}}, moe), "cannot hold the weights"));
}

TEST_CASE("A table of experts is read by its columns, and what is wrong in it is said at its line") {
  CHECK(table_findings("layer,expert,tokens\n0,0,10\n0,1,30\n1,127,5\n").empty());
  CHECK(has(table_findings("layer,expert\n0,0\n"), "column 'tokens' is missing"));
  CHECK(has(table_findings("layer,expert,tokens\n0,0,1\n0,128,1\n"), "e.csv:3:1: error: expert: the model has experts 0 to 127, but this is 128"));
  CHECK(has(table_findings("layer,expert,tokens\n0,0,-1\n"), "a number of tokens is not negative"));
  CHECK(has(table_findings("layer,expert,tokens\n0.5,0,1\n"), "layers are counted"));
  CHECK(has(table_findings("layer,expert,tokens\n3,0,0\n"), "no token chose an expert of layer 3"));
  CHECK(has(table_findings("layer,expert,tokens\n"), "counts no tokens"));
  CHECK(has(findings({experts("{load: table}")}, moe), "no table says how often experts are chosen"));
  CHECK(has(findings({experts("{load: table, table: nosuch.csv}")}, moe), "no file 'nosuch.csv'"));
}

TEST_CASE("Prompts are split inside one scale-up domain, and KV memories of the parts add up") {
  const std::string dense =
      "schema: rackwright/v1\n"
      "workload: {generator: {input_tokens: 300, output_tokens: 10}, rate: 10 /s, requests: 10}\n"
      "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
      "deployment: [{pool: c, model: llama-3.1-8b, on: \"a[0..3]\", context_parallel: 4}]\n";
  CHECK(findings({}, dense).empty());
  CHECK(has(findings({{"deployment.c.on", "a[0..15]"}, {"deployment.c.context_parallel", "16"}}, dense), "do not fit a scale-up domain of 8"));
  CHECK(has(findings({{"deployment.c.model", "qwen3-30b-a3b"}, {"deployment.c.on", "a[0..7]"}, {"deployment.c.data_parallel", "2"}}, dense),
            "does not go with data-parallel attention"));
  const scenarios::Catalog catalog;
  const auto blocks = [&](const std::string& degree, const std::string& on) {
    return scenarios::check_scenario("s.yaml", dense, {{"deployment.c.context_parallel", degree}, {"deployment.c.on", on}}, catalog).plans[0].kv_blocks;
  };
  // A part's activations are a quarter, so that each has a little more room than one device alone.
  CHECK(static_cast<double>(blocks("4", "a[0..3]")) / static_cast<double>(blocks("1", "a[0]")) == Approx(4).epsilon(0.02));
}
