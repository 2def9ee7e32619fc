#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "sim/serving/instance_group.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// 1 ms a step and `token` for each prompt token.
PoolSpec pool(std::int64_t token) {
  AffineCostModel cost;
  cost.per_prefill_token = token;
  PoolSpec pool;
  pool.name = "chat";
  pool.instance = {policies::find_scheduler("vllm-v1")->make({}), std::make_shared<AffineCostModel>(cost), 1000, 16};
  return pool;
}

std::vector<traces::Request> at_once(int count) {
  std::vector<traces::Request> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(request(0, 100, 2));
    requests.back().request_class = 1;
  }
  return requests;
}

}  // namespace

TEST_CASE("A request whose first token is estimated to come too late is turned away") {
  // A long prompt takes (1 + 2048 / 10) / 2048 ms a token: 10.05 ms for 100 tokens, 20.1 ms behind another 100, 30.1 ms
  // behind 200. The deadline of 25 ms holds for two at once. When they have gone, the next one may come.
  ServingSpec spec;
  spec.router = policies::find_router("round-robin")->make({});
  spec.pools.push_back(pool(ms / 10));
  spec.pools[0].admission.deadline = DeadlineRule::estimate;
  spec.classes = {{"chat", 0, {25 * ms}}};
  std::vector<traces::Request> requests = at_once(4);
  requests.push_back(request(40 * ms, 100, 2));
  requests.back().request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "chat"});
  CHECK(run.counts.completed == 3);
  CHECK(run.observer.of(2).cause == metrics::Cause::admission);
  CHECK(run.observer.of(3).outcome == metrics::Outcome::rejected);
  CHECK(run.observer.of(4).outcome == metrics::Outcome::completed);
}

TEST_CASE("Early rejection by the load of decodes: now, or when the prompt will be done") {
  // A decode step takes 1 ms and 2 ms a sequence; 6 ms are allowed, so that two may decode. Five requests come together, and one long after.
  const DecodeLoad rule = GENERATE(DecodeLoad::ignore, DecodeLoad::current, DecodeLoad::predicted);
  AffineCostModel cost;
  cost.per_prefill_token = ms;
  cost.per_sequence = 2 * ms;
  ServingSpec spec;
  spec.router = policies::find_router("round-robin")->make({});
  PoolSpec one = pool(0);
  one.instance.cost = std::make_shared<AffineCostModel>(cost);
  one.instance.role = Role::prefill;
  policies::SchedulerOptions options;
  options.token_budget = 20;
  one.instance.policy = policies::find_scheduler("vllm-v1")->make(options);
  one.admission.decode_load = rule;
  spec.pools.push_back(one);
  one.name = "decode";
  one.instance.role = Role::decode;
  one.kv_transfer.bytes.per_token = 1;
  spec.pools.push_back(one);
  spec.classes = {{"chat"}};
  spec.classes[0].step_within = {6 * ms};
  std::vector<traces::Request> requests;
  for (int i = 0; i < 5; ++i) requests.push_back(request(0, 20, 9));
  requests.push_back(request(400 * ms, 20, 9));
  for (traces::Request& each : requests) each.request_class = 1;
  const ServingRun run = run_serving(spec, requests, {"", "chat"}, TransportTimes{0, 1e9});
  // Nobody decodes yet when all come, which is what the first rule looks at; the second counts the prompts before each.
  CHECK(run.counts.completed == (rule == DecodeLoad::predicted ? 3 : 6));
  CHECK(run.observer.of(5).outcome == metrics::Outcome::completed);
  if (rule == DecodeLoad::predicted) CHECK(run.observer.of(4).cause == metrics::Cause::admission);
}

TEST_CASE("Who will have ended by then does not count in the prediction, and counts now") {
  // One request decoded for 100 ms; two have begun at 100 ms, and will have ended by 250 ms but not by 150 ms. A step with a third takes 7 ms.
  AffineCostModel cost;
  cost.per_prefill_token = ms;
  cost.per_sequence = 2 * ms;
  DecodeForecast forecast;
  Sequence sequence;
  sequence.input_tokens = 20;
  sequence.answer_tokens = 40;
  InstanceSpec spec = pool(0).instance;
  spec.cost = std::make_shared<AffineCostModel>(cost);
  OracleEngine engine;
  SequencePool sequences;
  struct Nobody final : InstanceOwner {
    void on_completed(SequenceId) override {}
    void on_prefilled(SequenceId) override {}
    void on_reception_started(SequenceId) override {}
    void on_prompt_step(SequenceId, std::int32_t, SimTime) override {}
    void on_milestone(SequenceId) override {}
    void on_cancelled_gone(SequenceId) override {}
    void on_end_of_time(std::uint32_t) override {}
  } owner;
  metrics::RunObserver observer;
  const auto decoder = make_instance(spec, {0, 0, 1}, Jumping::on, {engine, sequences, owner, observer});
  InstanceGroup decoders;
  decoders.add(*decoder);
  // One request took 100 ms from its first token to its last.
  forecast.prompt_begins(sequence);
  forecast.prompt_ends();
  forecast.decode_begins(0, SimTime{});
  forecast.decode_ends(0, SimTime{}, {100 * ms}, DecodeForecast::Left::completed);
  for (SequenceId id = 1; id <= 2; ++id) forecast.decode_begins(id, {100 * ms + id});
  const SimTime now{120 * ms};
  const SimTime two_sequences{5 * ms};
  CHECK_FALSE(forecast.keeps(DecodeLoad::current, two_sequences, now, {300 * ms}, decoders));
  CHECK_FALSE(forecast.keeps(DecodeLoad::predicted, two_sequences, now, {150 * ms}, decoders));
  CHECK(forecast.keeps(DecodeLoad::predicted, two_sequences, now, {250 * ms}, decoders));
  // Who has decoded for longer than the mean already is expected to stay.
  CHECK_FALSE(forecast.keeps(DecodeLoad::predicted, two_sequences, {220 * ms}, {250 * ms}, decoders));
  CHECK(forecast.keeps(DecodeLoad::current, {7 * ms}, now, {150 * ms}, decoders));
}

TEST_CASE("Cost-aware routing fills the cheap pool up to the objective, and the dear one takes what is left") {
  // 20 ms a prompt at the cheap pool, 5 ms at the dear one; 45 ms are allowed. The cheap pool takes two (20.05 and 40.1),
  // the next two would end there at 60 ms and go to the dear one.
  ServingSpec spec;
  spec.router = policies::find_router("cost-aware")->make({});
  spec.pools = {pool(ms / 5), pool(ms / 20)};
  spec.pools[1].name = "dear";
  spec.pools[1].instance.cost_weight = 3;
  spec.classes = {{"chat", 0, {45 * ms}}};
  const ServingRun run = run_serving(spec, at_once(4), {"", "chat"});
  CHECK(run.observer.of(0).pool == 0);
  CHECK(run.observer.of(1).pool == 0);
  CHECK(run.observer.of(2).pool == 1);
  CHECK(run.observer.of(3).pool == 1);
}
