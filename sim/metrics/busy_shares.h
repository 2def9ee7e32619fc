#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/base/time.h"
#include "sim/metrics/int128.h"

namespace rackwright::metrics {

/// Averages shares weighted by time. Shares are rounded to a millionth (2^-20, well above the noise of single
/// precision) and summed as integers, so that the answer does not depend on where a stretch with one set of
/// shares was cut.
template <std::size_t N>
class BusyShares {
 public:
  template <class Shares>
  void add(const Shares& shares, SimTime busy) {
    for (std::size_t i = 0; i < N; ++i) {
      if (shares[i] > 0)
        weights_[i] += Int128{static_cast<std::int64_t>(static_cast<double>(shares[i]) * 0x1p20 + 0.5)} * busy.ps;
    }
  }

  /// They sum to 1; absent when nothing was busy.
  std::optional<std::array<double, N>> shares() const {
    Int128 all = 0;
    for (const Int128 weight : weights_) all += weight;
    if (all == 0) return std::nullopt;
    std::array<double, N> shares{};
    for (std::size_t i = 0; i < N; ++i) shares[i] = static_cast<double>(weights_[i]) / static_cast<double>(all);
    return shares;
  }

 private:
  std::array<Int128, N> weights_{};
};

}  // namespace rackwright::metrics
