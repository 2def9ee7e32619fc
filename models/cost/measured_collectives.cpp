#include "models/cost/measured_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

namespace rackwright::cost {
namespace {

GridTable::Value over_sizes(const GridTable& table, double bytes) {
  GridTable::Value value = table.at(std::array{bytes});
  const std::vector<double> sizes = table.knots({});
  const auto right = std::ranges::lower_bound(sizes, bytes);
  if (!value.inside || right == sizes.begin() || right == sizes.end()) return value;
  const double left = *(right - 1);
  const double left_s = table.at(std::array{left}).value;
  const double right_s = table.at(std::array{*right}).value;
  value.value = left_s * std::pow(right_s / left_s, std::log(bytes / left) / std::log(*right / left));
  return value;
}

}  // namespace

MeasuredCollectives::MeasuredCollectives(std::span<const ProfilePoint> points, CollectiveKernel kernel) {
  std::map<llm::OperatorKind, std::map<int, std::vector<GridTable::Point>>> by_kind;
  for (const ProfilePoint& point : points)
    if (const ProfileKey& key = point.place.key; key.family == ProfileFamily::collective && key.shape[1] == static_cast<int>(kernel))
      by_kind[static_cast<llm::OperatorKind>(key.variant)][key.shape[0]].push_back({point.place.at, point.seconds});
  for (const auto& [kind, by_ranks] : by_kind)
    for (const auto& [ranks, of_ranks] : by_ranks) tables_[kind].emplace(ranks, GridTable(1, of_ranks));
}

std::optional<CollectiveTime> MeasuredCollectives::time(const llm::Operator& op) const {
  const auto found = tables_.find(op.kind);
  if (found == tables_.end()) return std::nullopt;
  const auto& by_ranks = found->second;
  const auto above = by_ranks.lower_bound(op.ranks);
  if (above == by_ranks.end()) return std::nullopt;
  const GridTable::Value high = over_sizes(above->second, op.message_bytes);
  if (above->first == op.ranks) return CollectiveTime{high.value, high.inside ? Provenance::measured : Provenance::extrapolated};
  if (above == by_ranks.begin()) return std::nullopt;
  const auto& [ranks, table] = *std::prev(above);
  const double low_s = over_sizes(table, op.message_bytes).value;
  const double share = std::log(static_cast<double>(op.ranks) / ranks) / std::log(static_cast<double>(above->first) / ranks);
  return CollectiveTime{low_s * std::pow(high.value / low_s, share), Provenance::extrapolated};
}

}  // namespace rackwright::cost
