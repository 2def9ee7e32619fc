#pragma once

#include <cstdint>

#include "models/base/time.h"

namespace rackwright::traces {

/// How requests arrive, from their times in order.
class ArrivalStatistics {
 public:
  void add(SimTime arrival);

  std::uint64_t count() const { return count_; }
  SimTime first() const { return first_; }
  SimTime last() const { return last_; }
  /// From the first to the last arrival.
  SimTime span() const { return last_ - first_; }
  /// Arrivals over span; 0 for fewer than two instants.
  double rate_per_s() const;
  /// Standard deviation over mean of the times between arrivals.
  double interarrival_cv() const;
  /// Variance over mean of the arrivals in bins of 1 s from the first arrival on; 1 for a Poisson process.
  double dispersion_1s() const;
  std::uint64_t peak_1s() const { return peak_ > in_bin_ ? peak_ : in_bin_; }
  /// The bins, and those among them without an arrival.
  std::uint64_t bins() const { return count_ == 0 ? 0 : bin_ + 1; }
  std::uint64_t empty_bins() const { return bins() - used_bins_; }
  SimTime longest_gap() const { return longest_gap_; }
  /// Arrivals at the same instant as the one before.
  std::uint64_t ties() const { return ties_; }

 private:
  std::uint64_t count_ = 0;
  SimTime first_;
  SimTime last_;
  SimTime longest_gap_;
  std::uint64_t ties_ = 0;
  double gap_squares_s2_ = 0;  ///< Sum of squared times between arrivals.
  std::uint64_t bin_ = 0;      ///< The bin of the last arrival,
  std::uint64_t in_bin_ = 0;   ///< what it holds so far,
  std::uint64_t used_bins_ = 0;
  std::uint64_t peak_ = 0;     ///< and the most and the sum of squares of those before it.
  double bin_squares_ = 0;
};

}  // namespace rackwright::traces
