#include "traces/statistics/token_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace rackwright::traces {

void TokenHistogram::add(std::int32_t tokens) {
  constexpr std::int32_t short_lengths = 65'536;
  const auto index = static_cast<std::size_t>(std::max(tokens, 0));
  if (tokens < short_lengths) {
    if (index >= short_.size()) short_.resize(std::max<std::size_t>(index + 1, 2 * short_.size()));
    ++short_[index];
  } else {
    ++long_[tokens];
  }
  ++count_;
  total_ += index;
}

template <typename Visit>
void TokenHistogram::for_each(Visit visit) const {
  for (std::size_t tokens = 0; tokens < short_.size(); ++tokens) {
    if (short_[tokens] > 0 && !visit(static_cast<std::int32_t>(tokens), short_[tokens])) return;
  }
  for (const auto& [tokens, count] : long_) {
    if (!visit(tokens, count)) return;
  }
}

std::int32_t TokenHistogram::quantile(double p) const {
  const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(p * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  std::int32_t found = 0;
  for_each([&](std::int32_t tokens, std::uint64_t count) {
    found = tokens;
    seen += count;
    return seen < rank;
  });
  return found;
}

std::vector<TokenHistogram::Bin> TokenHistogram::bins() const {
  std::vector<Bin> bins;
  for_each([&](std::int32_t tokens, std::uint64_t count) {
    const auto from = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(tokens)));
    if (bins.empty() || bins.back().from != from) bins.push_back({from, from > 0 ? static_cast<std::int32_t>(2 * static_cast<std::int64_t>(from) - 1) : 0, 0});
    bins.back().count += count;
    return true;
  });
  return bins;
}

}  // namespace rackwright::traces
