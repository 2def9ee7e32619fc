#include "models/base/names.h"

#include <algorithm>

namespace rackwright {
namespace {

/// Optimal string alignment distance, O(|a|·|b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest_compared = 200;
  if (name.empty() || name.size() > longest_compared) return {};
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string name_hint(std::string_view name, std::span<const std::string> candidates) {
  if (const std::string nearest = nearest_name(name, candidates); !nearest.empty()) {
    return "did you mean '" + nearest + "'?";
  }
  constexpr std::size_t most_listed = 12;
  std::string hint;
  for (std::size_t i = 0; i < std::min(most_listed, candidates.size()); ++i) {
    hint += (i == 0 ? "known: " : ", ") + candidates[i];
  }
  if (candidates.size() > most_listed) hint += ", …";
  return hint;
}

}  // namespace rackwright
