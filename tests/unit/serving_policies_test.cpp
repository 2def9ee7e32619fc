#include "sim/policies/round_robin_router.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;
using policies::SchedulerOptions;

namespace {

ServingSpec one_instance(std::string_view policy, const SchedulerOptions& options, const AffineCostModel& cost, std::int64_t kv_blocks) {
  ServingSpec spec;
  spec.router = std::make_shared<policies::RoundRobinRouter>();
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler(policy)->make(options), std::make_shared<AffineCostModel>(cost), kv_blocks, 16};
  spec.pools.push_back(pool);
  return spec;
}

/// 1 ms a step and 0.1 ms for each prompt token.
AffineCostModel prompts_cost() {
  AffineCostModel cost;
  cost.per_prefill_token = ms / 10;
  return cost;
}

}  // namespace

TEST_CASE("Every listed scheduler is found by its name and serves a mixed load to its end") {
  for (const policies::SchedulerEntry& entry : policies::schedulers()) {
    CAPTURE(entry.name);
    CHECK(policies::find_scheduler(entry.name) == &entry);
    std::vector<traces::Request> requests;
    for (int i = 0; i < 20; ++i) requests.push_back(request(i * ms, 5 + 7 * i % 50, 1 + 11 * i % 30));
    const ServingRun run = run_serving(one_instance(entry.name, {}, {}, 20), requests);
    CHECK(run.counts.completed == 20);
    CHECK_FALSE(run.stall);
  }
  CHECK(policies::find_scheduler("vllm-v2") == nullptr);
}

TEST_CASE("Prefill-first stalls the decodes while prompts keep coming, and Sarathi does not") {
  // Request 0 (10 in, 5 out) arrives at 0; request 1 (40 in) at 2.5 ms.
  // Prefill-first: the prompt step of request 0 ends at 2 ms, a decode at 3 ms, then the prompt step of request 1 takes
  // 1 + 4 ms without request 0, whose third token comes at 9 ms: a gap of 6 ms.
  // Sarathi: the step from 3 ms on has both; the gap is 5 ms, and nothing else changes for request 1.
  const std::vector<traces::Request> requests{request(0, 10, 5), request(5 * ms / 2, 40, 2)};
  const ServingRun first = run_serving(one_instance("prefill-first", {}, prompts_cost(), 100), requests);
  CHECK(first.observer.of(1).first_token.ps == 8 * ms);
  CHECK(first.observer.of(0).longest_gap.ps == 6 * ms);
  CHECK(first.observer.of(0).last_token.ps == 11 * ms);
  CHECK(first.observer.of(1).last_token.ps == 9 * ms);
  const ServingRun sarathi = run_serving(one_instance("sarathi", {}, prompts_cost(), 100), requests);
  CHECK(sarathi.observer.of(1).first_token.ps == 8 * ms);
  CHECK(sarathi.observer.of(0).longest_gap.ps == 5 * ms);
  CHECK(sarathi.observer.of(0).last_token.ps == 10 * ms);
}

TEST_CASE("Sarathi cuts a prompt to the budget that the decodes leave, which bounds the gap between tokens") {
  // Budget 11 with one decode: chunks of 10 tokens, 2 ms a step.
  SchedulerOptions options;
  options.token_budget = 11;
  const ServingRun run = run_serving(one_instance("sarathi", options, prompts_cost(), 100), {request(0, 10, 20), request(5 * ms / 2, 40, 1)});
  CHECK(run.observer.of(0).longest_gap.ps == 2 * ms);
  CHECK(run.observer.of(1).first_token.ps == 11 * ms);  // Four chunks from 3 ms on.
}

TEST_CASE("Sarathi admits a prompt only when all its blocks are free, and keeps the watermark") {
  // 10 blocks. Request 0 holds 4 (60 tokens) and decodes within them until 64; request 1 needs 6 for its prompt of 96.
  // With a watermark of 1 it waits for request 0 to end: 1 step of prompt, 3 of decode.
  SchedulerOptions options;
  options.watermark_blocks = GENERATE(0, 1);
  const ServingRun run = run_serving(one_instance("sarathi", options, {}, 10), {request(0, 60, 4), request(0, 96, 1)});
  CHECK(run.observer.of(1).scheduled.ps == (*options.watermark_blocks == 0 ? 0 : 4 * ms));
}

TEST_CASE("Orca sets the final length aside, so that nothing is preempted and fewer run at once") {
  // 10 blocks of 16. Each request ends at 32 + 64 tokens: 6 blocks. The second waits for the first, 64 steps.
  const std::vector<traces::Request> requests{request(0, 32, 64), request(0, 32, 64)};
  const ServingRun orca = run_serving(one_instance("orca", {}, {}, 10), requests);
  CHECK(orca.observer.of(1).scheduled.ps == 64 * ms);
  CHECK(orca.observer.of(1).preemptions == 0);
  const ServingRun vllm = run_serving(one_instance("vllm-v1", {}, {}, 10), requests);
  CHECK(vllm.observer.of(1).scheduled.ps == 0);
  CHECK(vllm.observer.of(1).preemptions == 1);
}

TEST_CASE("A static batch runs to its end before the next begins") {
  // Requests of 5 and 20 tokens out; one that arrives at 3 ms waits for both, 20 steps.
  const ServingRun run = run_serving(one_instance("static", {}, {}, 100), {request(0, 10, 5), request(0, 10, 20), request(3 * ms, 10, 1)});
  CHECK(run.observer.of(0).last_token.ps == 5 * ms);
  CHECK(run.observer.of(1).last_token.ps == 20 * ms);
  CHECK(run.observer.of(2).scheduled.ps == 20 * ms);
}

TEST_CASE("SGLang admits by what may still come: the second request waits although its prompt would fit") {
  // 10 blocks. Request 0 will need 6 (32 + 64 - 1 tokens), request 1 as many: 12.
  const std::vector<traces::Request> requests{request(0, 32, 64), request(0, 32, 64), request(0, 1, 1)};
  const ServingRun run = run_serving(one_instance("sglang", {}, {}, 10), requests);
  CHECK(run.observer.of(1).scheduled.ps == 64 * ms);
  CHECK(run.observer.of(2).scheduled.ps == 64 * ms);  // First come, first served: nobody passes.
  CHECK(run.observer.of(1).preemptions == 0);
}

TEST_CASE("SGLang goes on with an unfinished prompt before it takes another, and decodes wait") {
  SchedulerOptions options;
  options.token_budget = 30;
  const ServingRun run = run_serving(one_instance("sglang", options, {}, 100), {request(0, 10, 3), request(0, 50, 1), request(0, 20, 1)});
  // 10 + 20; 30; 20 tokens, then the decodes of request 0.
  CHECK(run.observer.of(0).first_token.ps == ms);
  CHECK(run.observer.of(1).first_token.ps == 2 * ms);
  CHECK(run.observer.of(2).first_token.ps == 3 * ms);
  CHECK(run.observer.of(0).last_token.ps == 5 * ms);
  CHECK(run.observer.of(0).longest_gap.ps == 3 * ms);
}

TEST_CASE("Under deadline order the class that wants its first token soonest goes first") {
  SchedulerOptions options;
  options.order = policies::QueueOrder::deadline;
  options.max_sequences = 1;
  ServingSpec spec = one_instance("vllm-v1", options, {}, 100);
  spec.classes = {{"voice", 0, {2 * ms}}, {"chat", 0, {9 * ms}}};
  std::vector<traces::Request> requests{request(0, 10, 5), request(0, 10, 1), request(ms, 10, 1), request(2 * ms, 10, 1)};
  requests[0].request_class = requests[2].request_class = 2;  // Deadlines 9, none, 10 and 4 ms.
  requests[3].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "voice", "chat"});
  CHECK(run.observer.of(0).scheduled.ps == 0);
  CHECK(run.observer.of(3).scheduled.ps == 5 * ms);
  CHECK(run.observer.of(2).scheduled.ps == 6 * ms);
  CHECK(run.observer.of(1).scheduled.ps == 7 * ms);
}

TEST_CASE("A client that gives up leaves at once, and what it held is free from the next boundary on") {
  SchedulerOptions options;
  options.max_sequences = 1;
  ServingSpec spec = one_instance("vllm-v1", options, {}, 100);
  spec.classes = {{"hasty", 0, SimTime::max(), {5 * ms + ms / 2}}};
  std::vector<traces::Request> requests{request(0, 10, 50), request(0, 10, 50), request(0, 10, 1)};
  requests[0].request_class = requests[1].request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "hasty"});
  const metrics::RequestOutcome& running = run.observer.of(0);
  CHECK(running.outcome == metrics::Outcome::cancelled);
  CHECK(running.cause == metrics::Cause::timed_out);
  CHECK(running.output_tokens == 5);
  CHECK(running.last_token.ps == 5 * ms);
  CHECK(run.observer.of(1).output_tokens == 0);
  CHECK(run.observer.of(2).scheduled.ps == 6 * ms);
  CHECK(run.counts.cancelled == 2);
  CHECK(run.counts.in_flight == 0);
}
