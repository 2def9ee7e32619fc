#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rackwright::traces {

struct Quantile {
  double p = 0;      ///< Share of values at or below `value`.
  double value = 0;
};

/// A distribution as a table of quantiles, linear in p between two of them. Two equal values in a row are an atom of
/// that weight; a table of one value is a constant.
class QuantileTable {
 public:
  QuantileTable() = default;
  /// The quantiles satisfy `problem`; a table of one may have any p.
  explicit QuantileTable(std::vector<Quantile> quantiles);
  static QuantileTable constant(double value) { return QuantileTable({{1, value}}); }

  /// Why quantiles make no table: none at all, p not rising from 0 to 1, falling values. Empty when they do.
  static std::string problem(std::span<const Quantile> quantiles);

  bool empty() const { return quantiles_.empty(); }
  const std::vector<Quantile>& quantiles() const { return quantiles_; }
  /// The value at u in [0, 1): for a uniform u, a draw.
  double at(double u) const {
    std::size_t i = start_[static_cast<std::size_t>(u * cells)];
    while (quantiles_[i + 1].p <= u) ++i;
    const Quantile& a = quantiles_[i];
    const Quantile& b = quantiles_[i + 1];
    return a.value + (b.value - a.value) * ((u - a.p) / (b.p - a.p));
  }
  /// `at`, rounded to a whole number of at least 1.
  std::int32_t tokens_at(double u) const;
  double mean() const;

 private:
  static constexpr std::size_t cells = 256;

  std::vector<Quantile> quantiles_;
  std::array<std::uint32_t, cells> start_{};  ///< Where the search for u begins, by ⌊256 u⌋.
};

}  // namespace rackwright::traces
