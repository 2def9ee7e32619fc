#include "sim/metrics/duration_distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/invariant.h"

namespace rackwright::metrics {
namespace {

// Bucket of v: below 2^10 a bucket holds one value. Above, with v >> e in [512, 1024), the 512 buckets
// of the octave are 2^e wide and start at 512 · 2^e or later, so half a bucket is at most 1/1024 of v.
constexpr std::int64_t buckets_per_octave = 512;
constexpr std::int64_t one_value_buckets = 2 * buckets_per_octave;

std::int64_t bucket_of(std::int64_t v) {
  if (v < one_value_buckets) return v;
  const int e = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(v))) - 10;
  return one_value_buckets + (e - 1) * buckets_per_octave + (v >> e) - buckets_per_octave;
}

/// The smallest value of a bucket; saturates past the last one.
std::int64_t bucket_floor(std::int64_t bucket) {
  if (bucket < one_value_buckets) return bucket;
  const std::int64_t above = bucket - one_value_buckets;
  const std::int64_t e = above / buckets_per_octave + 1;
  if (e > 53) return SimTime::max().ps;
  return (above % buckets_per_octave + buckets_per_octave) << e;
}

std::int64_t bucket_middle(std::int64_t bucket) {
  const std::int64_t floor = bucket_floor(bucket);
  return floor + (bucket_floor(bucket + 1) - floor) / 2;
}

}  // namespace

void DurationDistribution::add(SimTime value, std::int64_t count) { add_run(value, {}, 1, count); }

void DurationDistribution::add_run(SimTime first, SimTime growth, std::int64_t steps, std::int64_t multiplicity) {
  if (steps <= 0 || multiplicity <= 0) return;
  invariant(first.ps >= 0 && growth.ps >= 0, "a duration is never negative");
  const Run run{first.ps, growth.ps, steps, multiplicity};
  const std::int64_t last = run.first + (steps - 1) * run.growth;
  min_ = count_ == 0 ? run.first : std::min(min_, run.first);
  max_ = std::max(max_, last);
  // m · Σ (first + k · growth) = m · (n · first + growth · n (n − 1) / 2)
  const Int128 n = steps;
  sum_ += multiplicity * (n * run.first + Int128{run.growth} * (n * (n - 1) / 2));
  const bool was_exact = exact();
  count_ += steps * multiplicity;
  if (exact()) {
    keep(run);
    return;
  }
  if (was_exact) pour_into_buckets();
  count_in_buckets(run);
}

double DurationDistribution::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_) / 1e12;
}

void DurationDistribution::keep(const Run& run) {
  if (run.steps == 1 && run.multiplicity == 1) {
    singles_.push_back(run.first);
  } else {
    runs_.push_back(run);
  }
}

void DurationDistribution::pour_into_buckets() {
  for (const std::int64_t value : singles_) count_in_buckets({value, 0, 1, 1});
  for (const Run& run : runs_) count_in_buckets(run);
  singles_ = {};
  runs_ = {};
}

void DurationDistribution::count_in_buckets(const Run& run) {
  const std::int64_t last = run.first + (run.steps - 1) * run.growth;
  const auto needed = static_cast<std::size_t>(bucket_of(last) + 1);
  if (buckets_.size() < needed) buckets_.resize(needed);
  if (run.growth == 0) {
    buckets_[static_cast<std::size_t>(bucket_of(run.first))] += run.steps * run.multiplicity;
    return;
  }
  for (std::int64_t k = 0; k < run.steps;) {
    const std::int64_t bucket = bucket_of(run.first + k * run.growth);
    // Steps below the next bucket's floor: k < ⌈(floor − first) / growth⌉.
    const std::int64_t below = bucket_floor(bucket + 1) - run.first;
    const std::int64_t end = std::min(run.steps, (below - 1) / run.growth + 1);
    buckets_[static_cast<std::size_t>(bucket)] += (end - k) * run.multiplicity;
    k = end;
  }
}

std::vector<DurationDistribution::Weighted> DurationDistribution::sorted() {
  std::vector<Weighted> values;
  if (!exact()) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      if (buckets_[bucket] == 0) continue;
      const std::int64_t middle = bucket_middle(static_cast<std::int64_t>(bucket));
      values.push_back({std::clamp(middle, min_, max_), buckets_[bucket]});
    }
    return values;
  }
  std::ranges::sort(singles_);
  values.reserve(singles_.size() + runs_.size());
  for (const std::int64_t value : singles_) values.push_back({value, 1});
  for (const Run& run : runs_) {
    if (run.growth == 0) {
      values.push_back({run.first, run.steps * run.multiplicity});
      continue;
    }
    for (std::int64_t k = 0; k < run.steps; ++k) values.push_back({run.first + k * run.growth, run.multiplicity});
  }
  if (!runs_.empty()) std::ranges::sort(values, {}, &Weighted::value);
  return values;
}

std::vector<SimTime> DurationDistribution::quantiles(std::span<const double> ascending) {
  invariant(count_ > 0, "a distribution without values has no quantiles");
  invariant(std::ranges::is_sorted(ascending), "quantiles are asked for in ascending order");
  const std::vector<Weighted> values = sorted();
  std::vector<SimTime> answers;
  answers.reserve(ascending.size());
  std::size_t at = 0;
  std::int64_t up_to = values.front().count;  // How many values are at most values[at].
  for (const double q : ascending) {
    // Slightly less, so that 0.07 · 100 = 7.000000000000001 asks for rank 7.
    const double rank_or_more = q * static_cast<double>(count_) * (1 - 1e-15);
    const auto rank = std::clamp<std::int64_t>(std::llround(std::ceil(rank_or_more)), 1, count_);
    while (up_to < rank) up_to += values[++at].count;
    answers.push_back({rank == count_ ? max_ : values[at].value});
  }
  return answers;
}

results::DurationStatistics DurationDistribution::statistics() {
  constexpr double asked[] = {0.5, 0.9, 0.95, 0.99};
  const std::vector<SimTime> at = quantiles(asked);
  return {.count = count_,
          .mean = mean(),
          .p50 = at[0].seconds(),
          .p90 = at[1].seconds(),
          .p95 = at[2].seconds(),
          .p99 = at[3].seconds(),
          .max = SimTime{max_}.seconds(),
          .exact = exact()};
}

}  // namespace rackwright::metrics
