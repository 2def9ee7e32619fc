#include "traces/statistics/arrival_statistics.h"

#include <algorithm>
#include <cmath>

namespace rackwright::traces {

void ArrivalStatistics::add(SimTime arrival) {
  if (count_ == 0) {
    first_ = last_ = arrival;
    used_bins_ = 1;
  }
  const SimTime gap = arrival - last_;
  if (count_ > 0 && gap == SimTime{}) ++ties_;
  longest_gap_ = std::max(longest_gap_, gap);
  gap_squares_s2_ += gap.seconds() * gap.seconds();
  const auto bin = static_cast<std::uint64_t>((arrival - first_).ps / picoseconds_per_second);
  if (bin != bin_) {
    bin_squares_ += static_cast<double>(in_bin_) * static_cast<double>(in_bin_);
    peak_ = std::max(peak_, in_bin_);
    bin_ = bin;
    in_bin_ = 0;
    ++used_bins_;
  }
  ++in_bin_;
  ++count_;
  last_ = arrival;
}

double ArrivalStatistics::rate_per_s() const { return span() > SimTime{} ? static_cast<double>(count_) / span().seconds() : 0; }

double ArrivalStatistics::interarrival_cv() const {
  if (count_ < 2 || span() == SimTime{}) return 0;
  const auto gaps = static_cast<double>(count_ - 1);
  const double mean = span().seconds() / gaps;
  return std::sqrt(std::max(0.0, gap_squares_s2_ / gaps - mean * mean)) / mean;
}

double ArrivalStatistics::dispersion_1s() const {
  if (count_ == 0) return 0;
  const double squares = bin_squares_ + static_cast<double>(in_bin_) * static_cast<double>(in_bin_);
  const double mean = static_cast<double>(count_) / static_cast<double>(bins());
  return (squares / static_cast<double>(bins()) - mean * mean) / mean;
}

}  // namespace rackwright::traces
