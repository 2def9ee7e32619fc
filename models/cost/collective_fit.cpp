#include "models/cost/collective_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

constexpr int terms = 3;
using Terms = std::array<double, terms>;

double past_switch(double bytes, double switch_bytes) { return 1 - std::exp(-bytes * bytes / (switch_bytes * switch_bytes)); }

/// Inside a domain (an endless `switch_bytes`) the third term is the root.
Terms basis(double bytes, double switch_bytes) {
  return {1, bytes, std::isinf(switch_bytes) ? std::sqrt(bytes) : past_switch(bytes, switch_bytes)};
}

/// Of rows between two others: the one that the line through both misses by the largest factor. Nothing without rows between.
std::optional<std::size_t> most_missed(std::span<const SizedTime> rows, std::span<const std::size_t> between, const SizedTime& first, const SizedTime& last) {
  const double s_per_byte = std::max(0.0, (last.seconds - first.seconds) / (last.bytes - first.bytes));
  const auto miss = [&](std::size_t i) {
    return std::abs(std::log(rows[i].seconds / (first.seconds + (rows[i].bytes - first.bytes) * s_per_byte)));
  };
  const auto found = std::ranges::max_element(between, {}, miss);
  return found == between.end() ? std::nullopt : std::optional(*found);
}

/// Sizes in ascending order.
std::vector<std::size_t> by_size(std::span<const SizedTime> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i].bytes; });
  return order;
}

/// E of a fit between nodes; endless where two sizes are all there is.
double switch_bytes_of(std::span<const SizedTime> rows, const NodeSwitch& shared) {
  const std::vector<std::size_t> order = by_size(rows);
  if (order.size() < 3) return std::numeric_limits<double>::infinity();
  const std::span between(order.begin() + 1, order.end() - 1);
  return shared.size_share * rows[*most_missed(rows, between, rows[order.front()], rows[order.back()])].bytes;
}

/// Solves the normal equations of the terms in `used` (others are 0) by elimination; nothing when they are not independent.
std::optional<Terms> solve(const std::array<std::array<double, terms + 1>, terms>& normal, unsigned used) {
  auto rows = normal;
  Terms result{};
  std::array<int, terms> chosen{};
  int count = 0;
  for (int t = 0; t < terms; ++t)
    if (used & (1u << t)) chosen[static_cast<std::size_t>(count++)] = t;
  for (int i = 0; i < count; ++i) {
    const auto pivot = static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)]);
    if (!(std::abs(rows[pivot][pivot]) > 1e-12 * std::abs(normal[pivot][pivot]))) return std::nullopt;
    for (int j = 0; j < count; ++j) {
      const auto row = static_cast<std::size_t>(chosen[static_cast<std::size_t>(j)]);
      if (row == pivot) continue;
      const double factor = rows[row][pivot] / rows[pivot][pivot];
      for (std::size_t column = 0; column <= terms; ++column) rows[row][column] -= factor * rows[pivot][column];
    }
  }
  for (int i = 0; i < count; ++i) {
    const auto t = static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)]);
    result[t] = rows[t][terms] / rows[t][t];
  }
  return result;
}

double squared_errors(std::span<const SizedTime> rows, double switch_bytes, const Terms& fit) {
  double sum = 0;
  for (const SizedTime& row : rows) {
    const Terms at = basis(row.bytes, switch_bytes);
    const double error = (fit[0] * at[0] + fit[1] * at[1] + fit[2] * at[2]) / row.seconds - 1;
    sum += error * error;
  }
  return sum;
}

}  // namespace

double CollectiveFit::seconds(double bytes) const {
  return start_s + bytes * s_per_byte + std::sqrt(bytes) * s_per_root_byte + (switch_s > 0 ? switch_s * past_switch(bytes, switch_bytes) : 0);
}

CollectiveFit fit_collective(std::span<const SizedTime> rows, CollectiveSpan span, const NodeSwitch& shared) {
  invariant(!rows.empty(), "a fit has rows");
  // In units of the largest row, so that the three terms are of one size.
  const double unit_bytes = std::ranges::max_element(rows, {}, &SizedTime::bytes)->bytes;
  const bool has_switch = span == CollectiveSpan::nodes;
  const double switch_bytes = has_switch ? switch_bytes_of(rows, shared) / unit_bytes : std::numeric_limits<double>::infinity();
  std::vector<SizedTime> scaled;
  for (const SizedTime& row : rows) scaled.push_back({row.bytes / unit_bytes, row.seconds});
  std::array<std::array<double, terms + 1>, terms> normal{};
  for (const SizedTime& row : scaled) {
    const Terms at = basis(row.bytes, switch_bytes);
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t j = 0; j < terms; ++j) normal[i][j] += at[i] * at[j] / (row.seconds * row.seconds);
      normal[i][terms] += at[i] / row.seconds;
    }
  }
  // The best fit without a negative term uses some of the terms freely: try every choice.
  Terms best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned used = 1; used < 1u << terms; ++used) {
    const std::optional<Terms> fit = solve(normal, used);
    if (!fit || std::ranges::any_of(*fit, [](double term) { return term < 0; })) continue;
    if (const double errors = squared_errors(scaled, switch_bytes, *fit); errors < least) {
      least = errors;
      best = *fit;
    }
  }
  if (std::isinf(switch_bytes)) return {best[0], best[1] / unit_bytes, best[2] / std::sqrt(unit_bytes)};
  return {best[0], best[1] / unit_bytes, 0, best[2], switch_bytes * unit_bytes};
}

std::vector<std::size_t> calibration_rows(std::span<const SizedTime> rows, CollectiveSpan span, const NodeSwitch& shared) {
  const std::vector<std::size_t> order = by_size(rows);
  if (order.size() <= 3) return order;
  auto first = order.begin();
  if (span == CollectiveSpan::nodes) {
    const double quickest = std::ranges::min_element(rows, {}, &SizedTime::seconds)->seconds;
    for (auto at = order.begin(); at != order.end() - 2; ++at)
      if (rows[*at].seconds <= shared.start_tolerance * quickest) first = at;
  }
  const SizedTime& start = rows[*first];
  const SizedTime& last = rows[order.back()];
  const std::span between(first + 1, order.end() - 1);
  const double wanted_bytes = 16 * start.seconds * last.bytes / last.seconds;
  const std::size_t middle = span == CollectiveSpan::nodes
                                 ? *most_missed(rows, between, start, last)
                                 : *std::ranges::min_element(between, {}, [&](std::size_t i) { return std::abs(std::log(rows[i].bytes / wanted_bytes)); });
  std::vector<std::size_t> chosen{*first, middle, order.back()};
  std::ranges::sort(chosen);
  return chosen;
}

double ExchangeFit::seconds(int ranks, double bytes) const {
  const double local = bytes * std::min(1.0, static_cast<double>(domain_ranks) / ranks);
  const double remote = bytes - local;
  return floor_s + std::max(local / local_bytes_per_s, remote > 0 ? remote / remote_bytes_per_s : 0);
}

double ExchangeFit::forwarded_seconds(double local, double remote) const {
  return floor_s + std::max(local / local_bytes_per_s, remote / remote_bytes_per_s);
}

ExchangeFit fit_exchange(const ExchangeFit& start, const ExchangeRow& a, const ExchangeRow& b) {
  ExchangeFit fit = start;
  const auto local_share = [&](const ExchangeRow& row) { return std::min(1.0, static_cast<double>(start.domain_ranks) / row.ranks); };
  const bool stays = a.ranks <= start.domain_ranks && b.ranks <= start.domain_ranks;
  const double a_bytes = a.bytes * (stays ? 1 : 1 - local_share(a));
  const double b_bytes = b.bytes * (stays ? 1 : 1 - local_share(b));
  const double s_per_byte = (b.seconds - a.seconds) / (b_bytes - a_bytes);
  invariant(std::isfinite(s_per_byte) && s_per_byte > 0, "the rows are of different sizes, and the larger takes longer");
  (stays ? fit.local_bytes_per_s : fit.remote_bytes_per_s) = 1 / s_per_byte;
  fit.floor_s = std::max(0.0, a.seconds - a_bytes * s_per_byte);
  return fit;
}

}  // namespace rackwright::cost
