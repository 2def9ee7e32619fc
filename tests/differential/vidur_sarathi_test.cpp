#include "tests/support/catch.h"
#include "tests/support/serving_doubles.h"
#include "tests/support/shared_data.h"
#include "tests/support/vidur_oracle.h"

using namespace rackwright;
using namespace rackwright::tests;

TEST_CASE("Sarathi with Vidur's latencies gives every request of Vidur's run its times, in as many batches") {
  const serving::Jumping jumping = GENERATE(serving::Jumping::on, serving::Jumping::off);
  const std::filesystem::path folder = test::shared_data("oracles/vidur-sarathi");
  const std::vector<test::VidurRequest> expected = test::load_vidur_requests(folder);
  std::vector<traces::Request> requests;
  for (const test::VidurRequest& row : expected) requests.push_back(row.request);
  const ServingRun run = run_serving(test::vidur_serving(1, test::load_vidur_cost_model(folder), jumping), requests);

  CHECK(run.observer.steps() == 544'008);
  CHECK(run.counts.completed == 19'366);
  // 544,008 steps of whole picoseconds: rounding adds up to some nanoseconds at most.
  constexpr double tolerance_s = 1e-8;
  double worst = 0;
  for (const metrics::RequestOutcome& got : run.observer.requests) {
    const test::VidurRequest& want = expected[got.id];
    worst = std::max({worst, std::abs(got.scheduled.seconds() - want.scheduled_s),
                      std::abs(got.first_token.seconds() - want.prefill_completed_s),
                      std::abs(got.last_token.seconds() - want.completed_s)});
  }
  INFO("largest difference " << worst << " s");
  CHECK(worst < tolerance_s);
}
