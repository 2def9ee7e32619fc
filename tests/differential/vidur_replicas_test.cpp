#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "tests/support/catch.h"
#include "tests/support/plain_serving_loop.h"
#include "tests/support/serving_doubles.h"
#include "tests/support/shared_data.h"
#include "tests/support/vidur_oracle.h"

using namespace rackwright;
using namespace rackwright::tests;
using test::PlainPolicy;
using test::PlainRouting;

namespace {

/// The limits of the Vidur run, with `replicas` of it. Its vLLM policy batches up to 4,096 padded prompt tokens;
test::PlainSetup vidur_setup(PlainPolicy policy, PlainRouting routing, int replicas) {
  return {policy, routing, replicas, 11'008, 110, 16, policy == PlainPolicy::sarathi ? 512 : 4'096, 48};
}

const char* name_of(PlainPolicy policy) {
  switch (policy) {
    case PlainPolicy::sarathi: return "sarathi";
    case PlainPolicy::prefill_first: return "prefill-first";
    case PlainPolicy::orca: return "orca";
    case PlainPolicy::static_batch: return "static";
  }
  return "";
}

serving::ServingSpec spec_of(const test::PlainSetup& setup, std::shared_ptr<const cost::StepCostModel> cost, serving::Jumping jumping) {
  policies::SchedulerOptions options;
  options.token_budget = setup.token_budget;
  options.max_sequences = setup.max_sequences;
  options.watermark_blocks = setup.watermark_blocks;
  options.prompt_count = policies::PromptCount::padded;
  serving::PoolSpec pool;
  pool.name = "vidur";
  pool.replicas = setup.replicas;
  options.reserve_tokens = static_cast<std::int32_t>(setup.reserve_blocks * setup.block_tokens);
  pool.instance = {policies::find_scheduler(name_of(setup.policy))->make(options), std::move(cost), setup.blocks, setup.block_tokens};
  serving::ServingSpec spec;
  spec.pools.push_back(pool);
  spec.router = policies::find_router(setup.routing == PlainRouting::round_robin ? "round-robin" : "least-waiting")->make({});
  spec.jumping = jumping;
  return spec;
}

/// The requests of the run, at a multiple of their rate.
std::vector<traces::Request> requests_at(const std::vector<test::VidurRequest>& rows, int times_the_rate) {
  std::vector<traces::Request> requests;
  for (const test::VidurRequest& row : rows) {
    requests.push_back(row.request);
    requests.back().arrival.ps /= times_the_rate;
  }
  return requests;
}

void check_equal(const test::PlainResult& want, const ServingRun& got) {
  CHECK(got.observer.steps() == want.batches);
  REQUIRE(got.counts.completed == want.requests.size());
  std::size_t different = 0;
  for (const metrics::RequestOutcome& one : got.observer.requests) {
    const test::PlainTimes& times = want.requests[one.id];
    const bool same = one.scheduled == times.scheduled && one.first_token == times.first_token && one.last_token == times.completed &&
                      one.preemptions == times.restarts;
    different += same ? 0 : 1;
  }
  CHECK(different == 0);
}

std::shared_ptr<const AffineCostModel> mixed_cost() {
  AffineCostModel affine;
  affine.per_prefill_token = ms / 100;
  affine.per_context_token = ms / 10'000;
  return std::make_shared<AffineCostModel>(affine);
}

/// 400 requests of 12 to 220 tokens, seven milliseconds apart.
std::vector<traces::Request> mixed_requests() {
  std::vector<traces::Request> requests;
  for (int i = 0; i < 400; ++i) requests.push_back(request(i * 7 * ms + i * i % 13, 10 + 37 * i % 120, 2 + 53 * i % 90));
  return requests;
}

}  // namespace

TEST_CASE("The plain loop gives the times of Vidur's own run") {
  const std::filesystem::path folder = test::shared_data("oracles/vidur-sarathi");
  const std::vector<test::VidurRequest> rows = test::load_vidur_requests(folder);
  const test::PlainResult got = test::run_plain_loop(vidur_setup(PlainPolicy::sarathi, PlainRouting::round_robin, 1),
                                                     *test::load_vidur_cost_model(folder), requests_at(rows, 1));
  CHECK(got.batches == 544'008);
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    worst = std::max({worst, std::abs(got.requests[i].scheduled.seconds() - rows[i].scheduled_s),
                      std::abs(got.requests[i].first_token.seconds() - rows[i].prefill_completed_s),
                      std::abs(got.requests[i].completed.seconds() - rows[i].completed_s)});
  CHECK(worst < 1e-8);
}

TEST_CASE("Several replicas under Vidur's policies and routers keep every request's times of the plain loop, to the picosecond") {
  // Twice and four times the rate for two and four replicas; three times for two, which preempts.
  const auto policy = GENERATE(PlainPolicy::sarathi, PlainPolicy::prefill_first);
  const auto routing = GENERATE(PlainRouting::round_robin, PlainRouting::least_waiting);
  const auto [replicas, rate] = GENERATE(table<int, int>({{2, 2}, {4, 4}, {2, 3}}));
  CAPTURE(policy, routing, replicas, rate);
  const std::filesystem::path folder = test::shared_data("oracles/vidur-sarathi");
  const std::vector<traces::Request> requests = requests_at(test::load_vidur_requests(folder), rate);
  const auto cost = test::load_vidur_cost_model(folder);
  const test::PlainSetup setup = vidur_setup(policy, routing, replicas);
  check_equal(test::run_plain_loop(setup, *cost, requests), run_serving(spec_of(setup, cost, serving::Jumping::on), requests));
}

TEST_CASE("Vidur's Orca and FasterTransformer schedulers set the longest request aside for each, and keep the times of the plain loop") {
  // The tables of its run do not reach their batches. Requests have 220 tokens at most: 28 blocks of 8, for ten at once. (Vidur's
  // FasterTransformer gives back only what those of a batch's last step held; that is not followed.)
  const auto policy = GENERATE(PlainPolicy::orca, PlainPolicy::static_batch);
  const auto routing = GENERATE(PlainRouting::round_robin, PlainRouting::least_waiting);
  const auto jumping = GENERATE(serving::Jumping::on, serving::Jumping::off);
  const auto cost = mixed_cost();
  const std::vector<traces::Request> requests = mixed_requests();
  const test::PlainSetup setup{policy, routing, 2, 289, 0, 8, 0, 10, 28};
  check_equal(test::run_plain_loop(setup, *cost, requests), run_serving(spec_of(setup, cost, jumping), requests));
}

TEST_CASE("Tight memory restarts the same sequences as in the plain loop") {
  const auto policy = GENERATE(PlainPolicy::sarathi, PlainPolicy::prefill_first);
  const auto jumping = GENERATE(serving::Jumping::on, serving::Jumping::off);
  const auto cost = mixed_cost();
  const std::vector<traces::Request> requests = mixed_requests();
  const test::PlainSetup setup{policy, PlainRouting::round_robin, 2, 40, 1, 8, 256, 20};
  const test::PlainResult want = test::run_plain_loop(setup, *cost, requests);
  int restarts = 0;
  for (const test::PlainTimes& times : want.requests) restarts += times.restarts;
  CHECK(restarts > 20);
  check_equal(want, run_serving(spec_of(setup, cost, jumping), requests));
}
