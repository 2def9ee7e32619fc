#include "sim/metrics/decode_batch_tally.h"

#include <bit>

#include <fmt/format.h>

namespace rackwright::metrics {
namespace {

/// The bin of a batch of n ≥ 1: below 8 its own, above the four that share its highest binary digit.
std::size_t bin_of(std::int64_t n) {
  if (n < 8) return static_cast<std::size_t>(n);
  const int shift = std::bit_width(static_cast<std::uint64_t>(n)) - 3;
  return static_cast<std::size_t>(4 * shift + (n >> shift));
}

/// The smallest batch of a bin.
std::int64_t floor_of(std::size_t bin) {
  if (bin < 8) return static_cast<std::int64_t>(bin);
  const auto shift = static_cast<int>(bin / 4) - 1;
  return (static_cast<std::int64_t>(bin) - 4 * shift) << shift;
}

}  // namespace

void DecodeBatchTally::add(const Stretch& stretch, SimTime busy, std::int64_t steps) {
  if (stretch.prefill_tokens > 0 || stretch.decode_sequences <= 0 || steps <= 0) return;
  const std::size_t bin = bin_of(stretch.decode_sequences);
  if (bins_.size() <= bin) bins_.resize(bin + 1);
  Steps& sum = bins_[bin];
  sum.steps += steps;
  sum.sequences += Int128{stretch.decode_sequences} * steps;
  sum.tokens += stretch.decode_sequences * steps + (stretch.steps > 0 ? stretch.extra_tokens * steps / stretch.steps : 0);
  sum.bound.add(stretch, busy, steps);
}

std::vector<results::DecodeBatch> DecodeBatchTally::batches() const {
  std::vector<results::DecodeBatch> batches;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    const Steps& sum = bins_[bin];
    if (sum.steps == 0) continue;
    const std::int64_t least = floor_of(bin);
    const std::int64_t most = floor_of(bin + 1) - 1;
    results::DecodeBatch& batch = batches.emplace_back();
    batch.name = least == most ? fmt::format("{}", least) : fmt::format("{}-{}", least, most);
    batch.sequences = static_cast<double>(sum.sequences) / static_cast<double>(sum.steps);
    batch.steps = sum.steps;
    batch.tokens = sum.tokens;
    batch.busy_s = static_cast<double>(sum.bound.busy_ps()) / 1e12;
    batch.bound = sum.bound.shares().value_or(results::BoundShares{});
  }
  return batches;
}

}  // namespace rackwright::metrics
