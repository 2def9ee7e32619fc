#include "tests/differential/split_runs.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("No simulated figure of prompts and tokens apart on real H200s is further off than was recorded, at any of four rates") {
  const std::vector<test::SplitRunCheck> checks = test::split_runs();
  REQUIRE(checks.size() == 4);
  for (const test::SplitRunCheck& check : checks) {
    for (const test::ValidationFigure& figure : check.figures) {
      CAPTURE(check.run, figure.name, figure.measured, figure.simulated, figure.error());
      CHECK(std::abs(figure.error()) <= figure.bound);
    }
    CAPTURE(check.run, check.prompts.median_error, check.tokens.median_error);
    CHECK(std::abs(check.prompts.median_error) < 0.03);
    CHECK(std::abs(check.tokens.median_error) < 0.055);
    // Near zero beside a prompt of 25 ms, on both sides.
    CHECK(check.exposed_p99_us < 100);
    CHECK(check.simulated_exposed_us < 100);
  }
}
