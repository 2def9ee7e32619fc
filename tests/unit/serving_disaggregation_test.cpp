#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "sim/serving/port_transport.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// One prefill and one decode instance; steps of 1 ms and 0.1 ms for each prompt token; 1 byte of KV a token.
ServingSpec split(std::int64_t prefill_blocks, std::int64_t decode_blocks) {
  AffineCostModel cost;
  cost.per_prefill_token = ms / 10;
  PoolSpec pool;
  pool.name = "prefill";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(cost), prefill_blocks, 16,
                   PrefixCaching::off, Role::prefill};
  ServingSpec spec;
  spec.router = policies::find_router("least-outstanding")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  spec.pools.push_back(pool);
  pool.name = "decode";
  pool.instance.kv_blocks = decode_blocks;
  pool.instance.role = Role::decode;
  pool.kv_transfer.bytes.per_token = 1;
  spec.pools.push_back(pool);
  return spec;
}

/// The same where KV is pushed, layer by layer of `layers`.
ServingSpec pushed(std::int64_t prefill_blocks, std::int64_t decode_blocks, int layers) {
  ServingSpec spec = split(prefill_blocks, decode_blocks);
  KvTransferSpec& transfer = spec.pools[1].kv_transfer;
  transfer.initiative = KvTransferSpec::Initiative::push;
  transfer.when = KvTransferSpec::When::layerwise;
  transfer.layers = layers;
  return spec;
}

constexpr TransportTimes ten_tokens_a_ms{0, 1e4};
constexpr TransportTimes two_ms_and_one_per_ten_tokens{2e-3, 1e4};

}  // namespace

TEST_CASE("The second token waits for the KV: setup, then bytes over rate, beside the steps of the decode instance") {
  // 40 tokens: the prompt takes 1 + 4 ms; the KV 2 + 4 ms from there; then one step a token.
  const ServingRun run = run_serving(split(100, 100), {request(0, 40, 3)}, {""}, two_ms_and_one_per_ten_tokens);
  const metrics::RequestOutcome& done = run.observer.of(0);
  CHECK(done.first_token.ps == 5 * ms);
  CHECK(done.last_token.ps == 13 * ms);
  CHECK(done.longest_gap.ps == 7 * ms);
  CHECK(done.pool == 1);
  CHECK(done.instance == 1);
  CHECK(run.counts.completed == 1);
  CHECK_FALSE(run.stall);
}

TEST_CASE("A request of one token needs no decode instance") {
  const ServingRun run = run_serving(split(100, 100), {request(0, 40, 1)}, {""}, two_ms_and_one_per_ten_tokens);
  CHECK(run.observer.of(0).last_token.ps == 5 * ms);
  CHECK(run.observer.of(0).pool == 0);
}

TEST_CASE("Prompts are computed while others decode, and hold nobody's tokens up") {
  // Request 1 arrives when request 0 decodes. Co-located, its prompt of 90 tokens would make a gap of 10 ms.
  const ServingRun run = run_serving(split(100, 100), {request(0, 10, 30), request(10 * ms, 90, 2)}, {""}, two_ms_and_one_per_ten_tokens);
  CHECK(run.observer.of(0).first_token.ps == 2 * ms);
  CHECK(run.observer.of(0).longest_gap.ps == 4 * ms);  // 3 ms for its KV and the step.
  CHECK(run.observer.of(0).last_token.ps == 34 * ms);  // 29 steps from 5 ms on.
  CHECK(run.observer.of(1).first_token.ps == 20 * ms);
  CHECK(run.observer.of(1).last_token.ps == 32 * ms);  // KV there at 31 ms.
}

TEST_CASE("KV stays where it was computed until the decode instance has blocks for it, and blocks prompts there") {
  // The decode instance has 4 blocks and request 0 needs 3 or 4 of them until it ends. Request 1 waits for it with its
  // 3 blocks at the prefill instance, which has 5: request 2 (3 blocks) cannot begin before they are sent.
  const ServingRun run = run_serving(split(5, 4), {request(0, 40, 12), request(0, 40, 2), request(20 * ms, 40, 1)}, {""},
                                     two_ms_and_one_per_ten_tokens);
  // Both prompts cannot run together (6 blocks): 0 to 5 ms; KV there at 11 ms, then 11 steps until 22 ms.
  CHECK(run.observer.of(0).last_token.ps == 22 * ms);
  CHECK(run.observer.of(1).first_token.ps == 16 * ms);  // From 11 ms, when the first KV has gone.
  CHECK(run.observer.of(1).last_token.ps == 29 * ms);   // Sent from 22 to 28 ms.
  CHECK(run.observer.of(2).scheduled.ps == 28 * ms);
  CHECK_FALSE(run.stall);
}

TEST_CASE("A request that either side could never hold is rejected on arrival") {
  ServingRun run = run_serving(split(2, 100), {request(0, 40, 3)});
  CHECK(run.observer.of(0).cause == metrics::Cause::kv_too_small);
  run = run_serving(split(100, 3), {request(0, 40, 10), request(0, 40, 9)}, {""}, two_ms_and_one_per_ten_tokens);
  CHECK(run.observer.of(0).cause == metrics::Cause::kv_too_small);  // 40 + 10 - 1 tokens need 4 blocks.
  CHECK(run.observer.of(1).outcome == metrics::Outcome::completed);
}

TEST_CASE("A client may give up while its KV waits or is on its way, and everything it held is free") {
  const std::int64_t patience = GENERATE(3 * ms, 5 * ms, 8 * ms, 15 * ms);
  CAPTURE(patience);
  ServingSpec spec = split(5, 4);
  spec.classes = {{"hasty", 0, SimTime::max(), {patience}}};
  std::vector<traces::Request> requests{request(0, 40, 12), request(0, 40, 20), request(40 * ms, 40, 2)};
  requests[0].request_class = requests[1].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "hasty"}, two_ms_and_one_per_ten_tokens);
  CHECK(run.counts.cancelled == 2);
  CHECK(run.observer.of(2).last_token.ps == 52 * ms);
  CHECK(run.counts.in_flight == 0);
  CHECK_FALSE(run.stall);
}

TEST_CASE("Of KV that is sent layer by layer, only what the last layer or the link leaves is exposed") {
  // 40 tokens on 4 layers: the step lasts T = 5 ms, the KV takes c / W = 4 ms alone. max(4 / 4, 4 - 5 · 3 / 4) = 1 ms.
  ServingRun run = run_serving(pushed(100, 100, 4), {request(0, 40, 3)}, {""}, ten_tokens_a_ms);
  const std::int64_t word = 1;  // The prompt starts a picosecond after its blocks are taken.
  CHECK(run.observer.of(0).first_token.ps == 5 * ms + word);
  CHECK(run.observer.of(0).kv_exposed->ps == 1 * ms);
  CHECK(run.observer.of(0).last_token.ps == 8 * ms + word);

  // At a tenth of the rate the link falls behind: max(40 / 4, 40 - 5 · 3 / 4) = 36.25 ms.
  run = run_serving(pushed(100, 100, 4), {request(0, 40, 3)}, {""}, TransportTimes{0, 1e3});
  CHECK(run.observer.of(0).kv_exposed->ps == 36 * ms + ms / 4);
}

TEST_CASE("KV that is sent after the prompt is exposed whole, pushed or pulled, latency and waiting copies included") {
  // 40 tokens: 4 ms on the link, 1 ms of latency, 3 copies that wait 2 ms each.
  ServingSpec spec = pushed(100, 100, 4);
  KvTransferSpec& transfer = spec.pools[1].kv_transfer;
  transfer.when = KvTransferSpec::When::after;
  transfer.latency = {ms};
  transfer.copies = 3;
  transfer.wait_per_copy = {2 * ms};
  transfer.initiative = GENERATE(KvTransferSpec::Initiative::push, KvTransferSpec::Initiative::pull);
  const ServingRun run = run_serving(spec, {request(0, 40, 3)}, {""}, ten_tokens_a_ms);
  CHECK(run.observer.of(0).kv_exposed->ps == 11 * ms);
}

TEST_CASE("Copies that wait for the busy peer hold up the next prompt") {
  // Request 1 would start at 5 ms, when the prompt of request 0 is done. 6 copies of 1 ms each put it off to 11 ms; layer
  // by layer, 5 · 3 / 4 of these 6 ms pass under the prompt.
  ServingSpec spec = pushed(100, 100, 4);
  KvTransferSpec& transfer = spec.pools[1].kv_transfer;
  transfer.copies = 6;
  transfer.wait_per_copy = {ms};
  transfer.when = KvTransferSpec::When::after;
  const std::vector<traces::Request> requests{request(0, 40, 2), request(ms, 40, 2)};
  CHECK(run_serving(spec, requests, {""}, ten_tokens_a_ms).observer.of(1).scheduled.ps == 11 * ms + 1);
  transfer.when = KvTransferSpec::When::layerwise;
  CHECK(run_serving(spec, requests, {""}, ten_tokens_a_ms).observer.of(1).scheduled.ps == 7 * ms + ms / 4 + 1);
}

TEST_CASE("Copies of prompts that end together wait one after another") {
  // Both prompts in one step of 1 + 8 ms; 2 copies of 3 ms each: KV there after 6 ms, and after 12; both at once on the link.
  ServingSpec spec = pushed(100, 100, 4);
  KvTransferSpec& transfer = spec.pools[1].kv_transfer;
  transfer.copies = 2;
  transfer.wait_per_copy = {3 * ms};
  transfer.when = KvTransferSpec::When::after;
  const ServingRun run = run_serving(spec, {request(0, 40, 2), request(0, 40, 2), request(ms, 40, 2)}, {""}, ten_tokens_a_ms);
  CHECK(run.observer.of(0).kv_exposed->ps == 10 * ms);
  CHECK(run.observer.of(1).kv_exposed->ps == 16 * ms);
  CHECK(run.observer.of(2).scheduled.ps == 21 * ms + 1);
}

TEST_CASE("A full decode side holds prompts up where KV is pushed") {
  // 4 blocks: request 0 takes 3, then 4. Request 1 (3 blocks) is not computed before it has left.
  const ServingRun run = run_serving(pushed(100, 4, 4), {request(0, 40, 12), request(0, 40, 2)}, {""}, ten_tokens_a_ms);
  CHECK(run.observer.of(0).last_token.ps == 17 * ms + 1);  // 5, 1 exposed, 11 steps.
  CHECK(run.observer.of(1).scheduled.ps == 17 * ms + 2);
  CHECK_FALSE(run.stall);
}

TEST_CASE("Free blocks are taken for a pushed prompt at once, in the midst of a step of the decode instance") {
  // Request 0 decodes in steps of 1 ms, from a whole millisecond and a picosecond on, when request 1 comes in the middle of one.
  const ServingRun run = run_serving(pushed(100, 100, 4), {request(0, 40, 30), request(10 * ms + ms / 2, 40, 2)}, {""}, ten_tokens_a_ms);
  CHECK(run.observer.of(1).scheduled.ps == 10 * ms + ms / 2 + 1);
  // Its KV is there 6 ms later, at 16.5 ms, and its second token a step after the boundary at 17 ms.
  CHECK(run.observer.of(1).last_token.ps == 18 * ms + 1);
  CHECK(run.observer.of(0).last_token.ps == 35 * ms + 1);
}

TEST_CASE("A client may give up while blocks are awaited, taken or filled, and everything it held is free") {
  const std::int64_t patience = GENERATE(3 * ms, 5 * ms + 1, 5 * ms + ms / 2, 8 * ms, 20 * ms);
  CAPTURE(patience);
  ServingSpec spec = pushed(5, 4, 4);
  spec.classes = {{"hasty", 0, SimTime::max(), {patience}}};
  std::vector<traces::Request> requests{request(0, 40, 12), request(0, 40, 20), request(60 * ms, 40, 2)};
  requests[0].request_class = requests[1].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "hasty"}, ten_tokens_a_ms);
  CHECK(run.counts.in_flight == 0);
  CHECK(run.observer.of(2).last_token.ps == 67 * ms + 1);
  CHECK_FALSE(run.stall);
}

TEST_CASE("Transfers from one instance share its way out, and lone ones have it whole") {
  OracleEngine engine;
  const std::vector<double> ports{1e3, 1e3, 1e3};
  PortTransport transport(engine, ports);
  struct Arrivals final : KvTransferHandler {
    engine::Engine* engine = nullptr;
    std::vector<std::int64_t> at;
    void on_kv_there(std::uint64_t) override { at.push_back(engine->now().ps); }
  } arrivals;
  arrivals.engine = &engine;
  transport.start({0, 0, 1, 10, 0}, arrivals, 0);  // 10 bytes at 500 B/s,
  transport.start({1, 0, 2, 20, 0}, arrivals, 1);  // then 10 more at 1000.
  engine.run();
  CHECK(arrivals.at == std::vector<std::int64_t>{20 * ms, 30 * ms});
}

TEST_CASE("Short prompts are computed where they are decoded, and so are others while too many tokens wait") {
  // Request 0 (20 tokens) is short. Request 1 goes to the prefill instance, where its 40 tokens wait; request 2 finds more than
  // 30 there and stays with the decode instance; request 3 comes when all is done.
  ServingSpec spec = pushed(100, 100, 4);
  KvTransferSpec& transfer = spec.pools[1].kv_transfer;
  transfer.local_prompt_tokens = 30;
  transfer.spill_tokens = 30;
  const ServingRun run = run_serving(spec, {request(0, 20, 2), request(0, 40, 2), request(ms, 40, 2), request(100 * ms, 40, 2)}, {""}, ten_tokens_a_ms);
  CHECK_FALSE(run.observer.of(0).kv_exposed);
  CHECK(run.observer.of(0).first_token.ps == 3 * ms);
  CHECK(run.observer.of(1).kv_exposed);
  CHECK_FALSE(run.observer.of(2).kv_exposed);
  CHECK(run.observer.of(3).kv_exposed);
  CHECK(run.counts.completed == 4);
}
