#include "models/base/random.h"
#include "models/base/step_clock.h"
#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("A boundary in closed form is the sum of the steps before it") {
  // Steps of 10, 13, 16, … ps from 100: boundaries 100, 110, 123, 139, 158.
  const StepClock clock{{100}, {10}, {3}};
  SimTime at = clock.start;
  for (int k = 0; k < 200; ++k) {
    CHECK(clock.boundary(k) == at);
    at += clock.step_duration(k);
  }
  CHECK(clock.boundary(4).ps == 158);
}

TEST_CASE("The steps ended by an instant count the one that ends at it") {
  const std::uint64_t seed = GENERATE(range(1, 50));
  CAPTURE(seed);
  RandomStream random(seed, "step_clock", "test");
  const StepClock clock{{static_cast<std::int64_t>(random() % 1'000'000'000'000)},
                        {1 + static_cast<std::int64_t>(random() % 50'000'000'000)},
                        {random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 5'000'000)}};
  for (int i = 0; i < 200; ++i) {
    const auto k = static_cast<std::int64_t>(random() % 1'000'000);
    CHECK(clock.steps_ended(clock.boundary(k), 10'000'000) == k);
    CHECK(clock.steps_ended(clock.boundary(k + 1) - SimTime{1}, 10'000'000) == k);
    CHECK(clock.steps_ended(clock.boundary(k), 7) == std::min<std::int64_t>(k, 7));
  }
}

TEST_CASE("A boundary past the end of time saturates") {
  CHECK(StepClock{{0}, {1'000'000'000'000}, {0}}.boundary(10'000'000'000) == SimTime::max());
}
