#include "tests/differential/served_runs.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("No simulated figure of a served H200 is further off than was recorded, at any of six rates") {
  const std::vector<test::ServedRunCheck> checks = test::served_runs();
  REQUIRE(checks.size() == 6);
  for (const test::ServedRunCheck& check : checks) {
    for (const test::ValidationFigure& figure : check.figures) {
      CAPTURE(check.run, figure.name, figure.measured, figure.simulated, figure.error());
      CHECK(std::abs(figure.error()) <= figure.bound);
    }
    CAPTURE(check.run, check.decodes.steps, check.mixed.steps);
    CHECK(std::abs(check.decodes.median_error) < 0.04);
    CHECK(std::abs(check.mixed.median_error) < 0.025);
    // The longer every step, the longer the queue.
    CHECK(check.ttft_of_2_percent.has_value() == (check.share_of_capacity > 0.8));
    if (check.ttft_of_2_percent) {
      CHECK(check.ttft_of_2_percent->shorter_ms < check.figures[0].simulated);
      CHECK(check.figures[0].simulated < check.ttft_of_2_percent->longer_ms);
    }
  }
}
