#include <cmath>

#include "models/cost/speculative_step_cost.h"
#include "sim/policies/router_registry.h"
#include "sim/policies/scheduler_registry.h"
#include "sim/serving/speculation.h"
#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"

using namespace rackwright;
using namespace rackwright::serving;
using namespace rackwright::tests;

namespace {

/// Tokens of a cycle on average (Leviathan et al., eq. 1).
double expected_tokens(double alpha, int drafted) { return (1 - std::pow(alpha, drafted + 1)) / (1 - alpha); }

std::shared_ptr<const cost::StepCostModel> steps_of(std::int64_t base) {
  AffineCostModel cost;
  cost.base = base;
  return std::make_shared<AffineCostModel>(cost);
}

ServingSpec speculating(double alpha, int drafted, std::shared_ptr<const cost::StepCostModel> cost) {
  PoolSpec pool;
  pool.name = "chat";
  pool.instance.policy = policies::find_scheduler("vllm-v1")->make({});
  pool.instance.cost = std::move(cost);
  pool.instance.kv_blocks = 100'000;
  pool.instance.speculation = std::make_shared<Speculation>(7, drafted, alpha);
  ServingSpec spec;
  spec.router = policies::find_router("round-robin")->make({});
  spec.jumping = GENERATE(Jumping::on, Jumping::off);
  spec.pools.push_back(pool);
  return spec;
}

}  // namespace

TEST_CASE("A cycle gives (1 - a^(g+1)) / (1 - a) tokens on average") {
  const double alpha = GENERATE(.1, .5, .75, .9);
  const int drafted = GENERATE(1, 4, 7);
  CAPTURE(alpha, drafted);
  const Speculation speculation(1, drafted, alpha);
  constexpr int cycles = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < cycles; ++i) {
    const double tokens = speculation.tokens_of_cycle(static_cast<std::uint64_t>(i), 3);
    sum += tokens;
    squares += tokens * tokens;
  }
  const double mean = sum / cycles;
  const double error = std::sqrt((squares / cycles - mean * mean) / cycles);
  CHECK(std::abs(mean - expected_tokens(alpha, drafted)) < 4 * error);  // Of twelve means, one in a thousand runs is farther off.
}

TEST_CASE("Chances of requests spread around their mean as the concentration says") {
  // Beta(m k, (1 - m) k) has variance m (1 - m) / (k + 1): 0.6 · 0.4 / 11.
  const Speculation speculation(1, 4, .6, 10);
  double sum = 0;
  double squares = 0;
  constexpr int requests = 100'000;
  for (std::uint64_t i = 0; i < requests; ++i) {
    const double alpha = speculation.acceptance(i);
    sum += alpha;
    squares += alpha * alpha;
  }
  const double mean = sum / requests;
  CHECK(mean == Approx(.6).margin(.002));
  CHECK(squares / requests - mean * mean == Approx(.24 / 11).epsilon(.02));
  CHECK(speculation.acceptance(5) == speculation.acceptance(5));
}

TEST_CASE("Accepted tokens come in one step, none beyond the last, and nothing is lost") {
  // All accepted: the first token after 1 ms, then 5 a step; 13 tokens take 1 + 3 steps, the last one with 2.
  const ServingRun all = run_serving(speculating(1, 4, steps_of(ms)), {request(0, 10, 13)});
  CHECK(all.observer.of(0).last_token.ps == 4 * ms);
  CHECK(all.observer.of(0).output_tokens == 13);
  CHECK(all.observer.of(0).longest_gap.ps == ms);
  // None accepted: one a step.
  const ServingRun none = run_serving(speculating(0, 4, steps_of(ms)), {request(0, 10, 13)});
  CHECK(none.observer.of(0).last_token.ps == 13 * ms);
}

TEST_CASE("The speed-up of a lone request is E / (g c + 1)") {
  // A draft step takes c = 0.2 of the target's 1 ms; 4 drafted tokens: a cycle of 1.8 ms gives E tokens.
  constexpr double alpha = .75;
  constexpr int drafted = 4;
  auto cost = std::make_shared<cost::SpeculativeStepCost>(steps_of(ms), steps_of(ms / 5), drafted, nullptr);
  std::vector<traces::Request> requests;
  for (int i = 0; i < 200; ++i) requests.push_back(request(i * 10'000 * ms, 10, 1001));
  const ServingRun run = run_serving(speculating(alpha, drafted, std::move(cost)), requests);
  double seconds = 0;
  for (const metrics::RequestOutcome& done : run.observer.requests) seconds += (done.last_token - done.first_token).seconds();
  const double per_token_s = seconds / (200 * 1000);
  CHECK(1e-3 / per_token_s == Approx(expected_tokens(alpha, drafted) / (drafted * .2 + 1)).epsilon(.01));  // 58,000 cycles.
}

TEST_CASE("A draft elsewhere: serial waits for both ways, parallel for the longer side and for what is done anew") {
  const auto target = steps_of(10 * ms);
  const auto draft = steps_of(ms);
  cost::StepShape step;
  step.decode_sequences = 1;
  step.decode_context_tokens = step.decode_context_max = 100;
  cost::DraftLink link{cost::DraftLink::Mode::serial, .5e-3, 1e9, 4, .5};
  // 4 · 1 + 2 · (0.5 ms + 4 · 4 B / 1 GB/s) + 10 ms.
  CHECK(cost::SpeculativeStepCost(target, draft, 4, &link).price(step, {}).duration.ps == 15 * ms + 2 * 16'000);
  // max(4, 10) + 0.5 + (1 - 0.5^4) · 4 · 1 ms, and the 16 ns of payload.
  link.mode = cost::DraftLink::Mode::parallel;
  const cost::StepCost cost = cost::SpeculativeStepCost(target, draft, 4, &link).price(step, {});
  CHECK(cost.duration.ps == 10 * ms + ms / 2 + 15 * ms / 4 + 16'000);
  CHECK(cost.partner.busy.ps == 4 * ms + 15 * ms / 4);
}

TEST_CASE("Several sequences that accept differently share steps, memory and an order, and all tokens come") {
  ServingSpec spec = speculating(.6, 3, steps_of(ms));
  spec.pools[0].instance.kv_blocks = 12;  // Tight: preemptions happen.
  std::vector<traces::Request> requests;
  std::int64_t tokens = 0;
  for (int i = 0; i < 12; ++i) {
    requests.push_back(request(i * ms, 20 + 3 * i, 30 + i));
    tokens += 30 + i;
  }
  const ServingRun run = run_serving(spec, requests);
  CHECK(run.counts.completed == 12);
  std::int64_t gaps = 0;
  for (const metrics::TokenGaps& gap : run.observer.gaps) gaps += gap.count * gap.sequences;
  CHECK(gaps == tokens - 12);
  CHECK_FALSE(run.stall);
}
