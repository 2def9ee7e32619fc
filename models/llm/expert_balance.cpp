#include "models/llm/expert_balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/invariant.h"
#include "models/base/random.h"

namespace rackwright::llm {
namespace {

using Devices = std::vector<std::vector<PlacedExpert>>;

/// Copies of each expert: one, and `more` that go to whoever has the most tokens a copy.
std::vector<int> copies_of(const std::vector<double>& shares, int devices, int more) {
  std::vector<int> copies(shares.size(), 1);
  for (int i = 0; i < more; ++i) {
    std::size_t hottest = shares.size();
    for (std::size_t e = 0; e < shares.size(); ++e)
      if (copies[e] < devices && (hottest == shares.size() || shares[e] / copies[e] > shares[hottest] / copies[hottest])) hottest = e;
    if (hottest == shares.size()) break;  // Everyone has every expert.
    ++copies[hottest];
  }
  return copies;
}

Devices place_by_load(const std::vector<double>& shares, int devices, int redundant) {
  const int experts = static_cast<int>(shares.size());
  const auto room = static_cast<std::size_t>((experts + devices - 1) / devices + redundant);
  const std::vector<int> copies = copies_of(shares, devices, devices * static_cast<int>(room) - experts);
  std::vector<PlacedExpert> all;
  for (int e = 0; e < experts; ++e)
    for (int i = 0; i < copies[static_cast<std::size_t>(e)]; ++i) all.push_back({e, shares[static_cast<std::size_t>(e)] / copies[static_cast<std::size_t>(e)]});
  std::ranges::stable_sort(all, std::greater{}, &PlacedExpert::share);
  Devices placed(static_cast<std::size_t>(devices));
  std::vector<double> sums(placed.size());
  for (const PlacedExpert& one : all) {
    // Room is the first wish; a second copy of an expert on one device is useless, but may be all that is left.
    std::size_t best = placed.size();
    bool best_is_new = false;
    for (std::size_t d = 0; d < placed.size(); ++d) {
      if (placed[d].size() >= room) continue;
      const bool is_new = std::ranges::find(placed[d], one.expert, &PlacedExpert::expert) == placed[d].end();
      if (best < placed.size() && (is_new == best_is_new ? sums[d] >= sums[best] : !is_new)) continue;
      best = d;
      best_is_new = is_new;
    }
    invariant(best < placed.size(), "there is room for every expert and every copy");
    placed[best].push_back(one);
    sums[best] += one.share;
  }
  return placed;
}

double sum_of(const std::vector<PlacedExpert>& placed) {
  double sum = 0;
  for (const PlacedExpert& one : placed) sum += one.share;
  return sum;
}

/// Experts with a token of `tokens`, on the device with the most of them.
double most_activated(const Devices& devices, double chosen, double tokens) {
  double most = 0;
  for (const std::vector<PlacedExpert>& placed : devices) {
    double active = 0;
    for (const PlacedExpert& one : placed) active += 1 - std::pow(1 - std::min(1.0, chosen * one.share), tokens);
    most = std::max(most, active);
  }
  return most;
}

/// A token reaches a place with this share of the choices when one of its choices falls there; when its experts lie on one
/// in `confined` of all nodes, it reaches none in the others, and those so much more often.
double reach(double share, double chosen, double confined) {
  return (1 - std::pow(1 - std::min(1.0, confined * share), chosen)) / confined;
}

/// Every number up to 23 tokens, then 16 a doubling.
std::vector<double> token_grid() {
  std::vector<double> grid;
  for (double tokens = 1; tokens < 4e6; tokens = std::max(tokens + 1, std::floor(tokens * std::exp2(1.0 / 16)))) grid.push_back(tokens);
  return grid;
}

}  // namespace

std::vector<double> capped_shares(std::vector<double> shares, double most) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  invariant(sum > 0 && most * static_cast<double>(shares.size()) >= 1 - 1e-9, "shares can sum to one under their cap");
  for (double& share : shares) share /= sum;
  // Each round caps at least one more, or ends.
  while (true) {
    double capped = 0;
    double free = 0;
    bool exceeds = false;
    for (const double share : shares) {
      (share >= most ? capped : free) += std::min(share, most);
      exceeds = exceeds || share > most * (1 + 1e-12);
    }
    if (!exceeds) return shares;
    const double growth = free > 0 ? (1 - capped) / free : 1;
    for (double& share : shares) share = share >= most ? most : share * growth;
  }
}

std::vector<double> power_law_shares(int experts, double exponent, int chosen, std::uint64_t seed, int layer) {
  std::vector<double> by_rank;
  for (int r = 1; r <= experts; ++r) by_rank.push_back(std::pow(r, -exponent));
  by_rank = capped_shares(std::move(by_rank), 1.0 / chosen);
  RandomStream stream = RandomStream(seed, "experts", "order").at(static_cast<std::uint64_t>(layer));
  for (std::size_t left = by_rank.size(); left > 1; --left)
    std::swap(by_rank[left - 1], by_rank[static_cast<std::size_t>(stream.uniform() * static_cast<double>(left))]);
  return by_rank;
}

Devices place_experts(const std::vector<double>& shares, int devices, const ExpertSpread& spread) {
  if (spread.placement == ExpertSpread::Placement::balanced) return place_by_load(shares, devices, spread.redundant);
  Devices placed(static_cast<std::size_t>(devices));
  for (std::size_t e = 0; e < shares.size(); ++e) placed[e * placed.size() / shares.size()].push_back({static_cast<int>(e), shares[e]});
  return placed;
}

ExpertBalance::ExpertBalance(int experts, int chosen, int devices, const ExpertSpread& spread) {
  invariant(chosen >= 1 && chosen <= experts && devices >= 1, "a token chooses some of the experts that there are");
  std::vector<std::vector<double>> layers = spread.shares;
  if (layers.empty()) layers.emplace_back(static_cast<std::size_t>(experts), 1.0 / experts);
  const int node_devices = spread.node_devices > 0 ? std::min(spread.node_devices, devices) : devices;
  nodes_ = (devices + node_devices - 1) / node_devices;
  const double confined = spread.token_nodes > 0 && spread.token_nodes < nodes_ ? static_cast<double>(nodes_) / spread.token_nodes : 1;
  for (const double tokens : token_grid()) activated_.emplace_back(tokens, 0);

  const double weight = 1.0 / static_cast<double>(layers.size());
  for (const std::vector<double>& shares : layers) {
    invariant(static_cast<int>(shares.size()) == experts, "every expert of a layer has a share");
    const Devices placed = place_experts(capped_shares(shares, 1.0 / chosen), devices, spread);
    double busiest = 0;
    std::vector<double> node_sums(static_cast<std::size_t>(nodes_));
    for (std::size_t d = 0; d < placed.size(); ++d) {
      busiest = std::max(busiest, sum_of(placed[d]));
      node_sums[d / static_cast<std::size_t>(node_devices)] += sum_of(placed[d]);
    }
    imbalance_ += weight * std::max(1.0, busiest * devices);
    device_copies_ += weight * devices * reach(busiest, chosen, confined);
    node_copies_ += weight * nodes_ * reach(std::ranges::max(node_sums), chosen, confined);
    for (auto& [tokens, active] : activated_) active += weight * most_activated(placed, chosen, tokens);
  }
}

double ExpertBalance::activated(double tokens) const {
  const auto right = std::ranges::upper_bound(activated_, tokens, {}, &std::pair<double, double>::first);
  if (right == activated_.end()) return activated_.back().second;
  if (right == activated_.begin()) return activated_.front().second * tokens;
  const auto left = right - 1;
  return left->second + (right->second - left->second) * (tokens - left->first) / (right->first - left->first);
}

}  // namespace rackwright::llm
