#include <random>

#include "models/cost/stated_step_cost.h"
#include "tests/support/catch.h"
#include "tests/support/step_batch.h"

using namespace rackwright;
using namespace rackwright::cost;
using test::Batch;
using test::batch;

namespace {

/// DistServe's estimator for OPT-13B on one A100 (LLMServe/DistServe, profiled_data), in seconds.
StatedStepTimes opt_13b() {
  StatedStepTimes times;
  times.prefill = {18.1025e-3, 0.101912e-3, 7.1223e-9, {}};
  times.decode = {19.9347e-3, 0.038507e-3, 6.2694e-7, {}};
  times.large_decode = {7.1662e-3, 0.158311e-3, 5.7980e-7, {}};
  times.large_batch = 95;
  times.busy_w = 400;
  times.idle_w = 63;
  return times;
}

/// Splitwise's medians for Llama2-70B on eight A100.
StatedStepTimes llama2_70b() {
  StatedStepTimes times;
  times.prefill.table = {{128, 65.3e-3}, {512, 93e-3}, {1024, 160.9e-3}, {2048, 282.7e-3}};
  times.decode.table = {{128, 43.0e-3}, {1024, 44.6e-3}, {8192, 48.5e-3}};
  return times;
}

double prefill_s(const StatedStepTimes& times, std::vector<PrefillChunk> chunks) {
  StepShape step;
  step.prefill = chunks;
  return StatedStepCost(times).price(step, {}).duration.seconds();
}

}  // namespace

TEST_CASE("Stated times follow DistServe's form") {
  // 18.1025 + 0.101912 · (512 + 256) + 7.1223e-6 · (512² + 256²) ms.
  CHECK(prefill_s(opt_13b(), {{512, 0, true}, {256, 0, true}}) == Approx(98.7048e-3).epsilon(1e-5));
  // Two chunks of a prompt take what it takes at once, and the constant once more.
  CHECK(prefill_s(opt_13b(), {{300, 0, false}}) + prefill_s(opt_13b(), {{212, 300, true}}) ==
        Approx(prefill_s(opt_13b(), {{512, 0, true}}) + 18.1025e-3));
  const StatedStepCost model(opt_13b());
  // 19.9347 + 0.038507 · 10 + 6.2694e-4 · 10 · 500 ms; beyond 95 sequences the other set.
  const StepCost ten = model.price(batch(10, 500).shape(), {});
  CHECK(ten.duration.seconds() == Approx(23.45447e-3));
  CHECK(ten.growth.seconds() == Approx(6.2694e-6));
  CHECK(ten.power_mw == 400'000);
  CHECK(model.price(batch(100, 500).shape(), {}).duration.seconds() == Approx((7.1662 + 15.8311 + 28.99) * 1e-3));
  CHECK(model.idle_power_mw() == 63'000);
}

TEST_CASE("Stated tables are straight between their points, flat before and go on beyond") {
  CHECK(prefill_s(llama2_70b(), {{64, 0, true}}) == Approx(65.3e-3));
  CHECK(prefill_s(llama2_70b(), {{768, 0, true}}) == Approx((93 + 160.9) / 2 * 1e-3));
  CHECK(prefill_s(llama2_70b(), {{4096, 0, true}}) == Approx((282.7 + 2 * 121.8) * 1e-3));
  const StatedStepCost model(llama2_70b());
  CHECK(model.price(batch(2, 2304).shape(), {}).duration.seconds() == Approx((44.6 + 48.5) / 2 * 1e-3));
  const Batch running = batch(3, 300);
  StepShape mixed = running.shape();
  const PrefillChunk chunk{512, 0, true};
  mixed.prefill = {&chunk, 1};
  const StepCost both = model.price(mixed, {});
  CHECK(both.duration == sim_time(93e-3) + model.price(running.shape(), {}).duration);
  CHECK(both.steps == 1);
}

TEST_CASE("A walk through a stretch of stated times and a price at each of its steps agree to the picosecond") {
  const StatedStepCost model(GENERATE(opt_13b(), llama2_70b()));
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Batch running;
    for (std::size_t i = 0; i < 1 + random() % 120; ++i) running.contexts.push_back(static_cast<std::int32_t>(1 + random() % 300));
    const StepCost stretch = model.price(running.shape(), {});
    for (std::int64_t k = 0; k < stretch.steps; ++k) {
      REQUIRE(model.price(running.shape(), {}).duration == stretch.duration + k * stretch.growth);
      running.grow(1);
    }
  }
}
