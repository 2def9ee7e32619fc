#include <algorithm>
#include <cmath>
#include <vector>

#include "models/base/random.h"
#include "sim/metrics/duration_distribution.h"
#include "tests/support/catch.h"

using namespace rackwright;
using metrics::DurationDistribution;

namespace {

SimTime quantile(DurationDistribution& values, double q) { return values.quantiles(std::span(&q, 1)).front(); }

}  // namespace

TEST_CASE("A quantile is the value at the nearest rank") {
  DurationDistribution values;
  for (const std::int64_t ps : {30, 10, 50, 20, 40}) values.add({ps});
  // Rank ⌈q · 5⌉ of 10 20 30 40 50.
  CHECK(quantile(values, 0).ps == 10);
  CHECK(quantile(values, 0.2).ps == 10);
  CHECK(quantile(values, 0.21).ps == 20);
  CHECK(quantile(values, 0.5).ps == 30);
  CHECK(quantile(values, 0.99).ps == 50);
  CHECK(quantile(values, 1).ps == 50);
}

TEST_CASE("A product such as 0.07 times 100 does not slip to the next rank") {
  DurationDistribution values;
  values.add_run({1}, {1}, 100);
  for (int percent = 1; percent <= 100; ++percent) CHECK(quantile(values, percent / 100.0).ps == percent);
}

TEST_CASE("Values with a count weigh as often as they occur") {
  DurationDistribution values;
  values.add({7}, 99);
  values.add({1000}, 1);
  CHECK(values.count() == 100);
  CHECK(quantile(values, 0.99).ps == 7);
  CHECK(quantile(values, 1).ps == 1000);
  // (99 · 7 + 1000) / 100 = 16.93
  CHECK(values.mean() == Approx(16.93e-12).epsilon(1e-15));
}

TEST_CASE("A run is the same as its values one by one, exact and as a sketch, wherever it is cut") {
  const std::int64_t steps = GENERATE(5'000, 400'000);  // times 3: below and above a million
  const SimTime first{20'000'000'000};
  const SimTime growth{1'234'567};
  DurationDistribution whole;
  whole.add_run(first, growth, steps, 3);
  DurationDistribution cut;
  std::int64_t at = 0;
  for (const std::int64_t length : {1l, 17l, 2'000l, steps}) {
    const std::int64_t n = std::min(length, steps - at);
    cut.add_run(first + at * growth, growth, n, 3);
    at += n;
  }
  DurationDistribution single;
  for (std::int64_t k = 0; k < steps; ++k) single.add(first + k * growth, 3);

  CHECK(whole.exact() == (steps * 3 <= DurationDistribution::exact_limit));
  std::vector<double> all;
  for (int i = 0; i <= 1000; ++i) all.push_back(i / 1000.0);
  const auto expected = whole.quantiles(all);
  CHECK(cut.quantiles(all) == expected);
  CHECK(single.quantiles(all) == expected);
  CHECK(cut.mean() == whole.mean());
  CHECK(single.mean() == whole.mean());
}

TEST_CASE("Past a million values every quantile is within 0.1 percent, mean and maximum exact") {
  DurationDistribution sketch;
  std::vector<std::int64_t> values;
  RandomStream random(11, "test", "durations");
  double sum = 0;
  for (int i = 0; i < 1'200'000; ++i) {
    // From 1 ps to about an hour, evenly in the logarithm.
    values.push_back(static_cast<std::int64_t>(std::exp(random.uniform() * 35.8)));
    sum += static_cast<double>(values.back());
    sketch.add({values.back()});
  }
  REQUIRE_FALSE(sketch.exact());
  std::ranges::sort(values);
  for (int i = 1; i <= 1000; ++i) {
    const auto rank = static_cast<std::size_t>(i) * values.size() / 1000;
    const auto exact = static_cast<double>(values[rank - 1]);
    const auto answer = static_cast<double>(quantile(sketch, i / 1000.0).ps);
    CHECK(std::abs(answer - exact) <= results::sketch_relative_error * exact);
  }
  CHECK(quantile(sketch, 1).ps == values.back());
  CHECK(sketch.mean() == Approx(sum / static_cast<double>(values.size()) * 1e-12).epsilon(1e-12));
  CHECK_FALSE(sketch.statistics().exact);
}

TEST_CASE("The longest durations that time can hold have a bucket") {
  DurationDistribution values;
  values.add(SimTime::max(), DurationDistribution::exact_limit + 1);
  CHECK(quantile(values, 0.5) == SimTime::max());
}

TEST_CASE("The exact distribution ends at a million values, not one earlier or later") {
  DurationDistribution values;
  values.add({5}, DurationDistribution::exact_limit - 1);
  values.add_run({9}, {2}, 1);
  CHECK(values.exact());
  values.add({5});
  CHECK_FALSE(values.exact());
}
