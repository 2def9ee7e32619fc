#include <string>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "tests/support/catch.h"
#include "tests/support/check_findings.h"

using namespace rackwright;
using scenarios::Setting;
using test::findings;
using test::has;

namespace {

const std::string with_draft =
    "schema: rackwright/v1\n"
    "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air, count: 2}]}\n"
    "deployment:\n"
    "  - {pool: chat, model: qwen3-32b, on: \"a[0..3]\", tensor_parallel: 2, speculation: {tokens: 3, acceptance: 0.7, draft: qwen3-0.6b}}\n";

const std::string with_pool =
    "schema: rackwright/v1\n"
    "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air, count: 2}]}\n"
    "deployment:\n"
    "  - {pool: chat, model: qwen3-32b, on: \"a[0..3]\", tensor_parallel: 2, speculation: {acceptance: 0.7, draft_pool: draft}}\n"
    "  - {pool: draft, role: draft, model: qwen3-0.6b, on: \"a[4..5]\"}\n";

}  // namespace

TEST_CASE("A draft on the pool's devices takes its weights and its KV from the pool's memory") {
  const scenarios::Catalog catalog;
  const scenarios::CheckedScenario drafted = scenarios::check_scenario("s.yaml", with_draft, {}, catalog);
  REQUIRE_FALSE(drafted.diagnostics.has_errors());
  const std::string alone = with_draft.substr(0, with_draft.find(", speculation")) + "}\n";
  const scenarios::CheckedScenario plain = scenarios::check_scenario("s.yaml", alone, {}, catalog);
  CHECK(drafted.plans[0].kv_blocks < plain.plans[0].kv_blocks);
  // 28 layers of the draft keep 8 heads of 128, 64 of the target 8 of 128: blocks grow by 28 / 64.
  CHECK(static_cast<double>(drafted.plans[0].kv_blocks) / static_cast<double>(plain.plans[0].kv_blocks) == Approx(64.0 / (64 + 28)).epsilon(.02));
}

TEST_CASE("A draft pool is one of its own: named, and as many") {
  CHECK(findings({}, with_pool).empty());
  CHECK(has(findings({{"deployment.chat.speculation.draft_pool", "draf"}}, with_pool), "no pool with 'role: draft' is called 'draf' (did you mean 'draft'?)"));
  CHECK(has(findings({{"deployment.draft.replicas", "1"}}, with_pool), "'chat' has 2 instances, but 1 draft in 'draft'"));
  CHECK(has(findings({{"deployment.draft.scheduler.max_sequences", "8"}}, with_pool), "'chat' runs up to 1024 sequences at once, its draft 8"));
  CHECK(has(findings({{"deployment.chat.speculation.method", "n-gram"}}, with_pool), "no pool's speculation names 'draft'"));
}

TEST_CASE("Something must propose tokens") {
  CHECK(has(findings({{"deployment.chat.speculation.method", "mtp"}}, with_pool), "the model has no multi-token-prediction module"));
  const std::string nothing = with_pool.substr(0, with_pool.find(", draft_pool")) + "}}\n";
  CHECK(has(findings({}, nothing), "deployment[0].speculation: nothing proposes tokens"));
}
