#include "tests/differential/split_sensitivity.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("No assumption about prompts and tokens apart on two H200s carries any figure as far as 12 percent") {
  const test::SplitSensitivity sensitivity = test::split_sensitivity();
  REQUIRE(sensitivity.rates.size() == 4);
  REQUIRE(sensitivity.assumptions.size() == 13);
  for (const test::SplitAssumption& one : sensitivity.assumptions)
    for (const double change : one.most_change) {
      CAPTURE(one.name, change);
      CHECK(std::abs(change) < 0.12);
    }
  // Layers leave under the prompt: what is left is the last one's, 2,048 tokens · 4 KiB over 366 GB/s, and 10 us of notice.
  for (const test::SplitFigures& figures : sensitivity.figures) CHECK(figures.exposed_us < 40);
}
