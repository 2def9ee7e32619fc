#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace rackwright::traces {

/// How often each length occurs, exactly. Memory is bounded by the number of different lengths, not of requests.
class TokenHistogram {
 public:
  void add(std::int32_t tokens);

  std::uint64_t count() const { return count_; }
  std::uint64_t total() const { return total_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(total_) / static_cast<double>(count_); }
  /// Nearest rank: the smallest length with at least a share `p` in (0, 1] of all at or below it; 0 when empty.
  std::int32_t quantile(double p) const;
  std::int32_t min() const { return quantile(0); }
  std::int32_t max() const { return quantile(1); }

  struct Bin {
    std::int32_t from = 0;  ///< Lengths from here …
    std::int32_t to = 0;    ///< … to here.
    std::uint64_t count = 0;
  };
  /// Counts in the ranges 1, 2–3, 4–7, 8–15 …, as far as there are any.
  std::vector<Bin> bins() const;

 private:
  template <typename Visit>
  void for_each(Visit visit) const;

  std::vector<std::uint64_t> short_;             ///< By length, below 65,536.
  std::map<std::int32_t, std::uint64_t> long_;
  std::uint64_t count_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace rackwright::traces
