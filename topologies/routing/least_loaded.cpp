#include "topologies/routing/least_loaded.h"

#include <algorithm>
#include <map>
#include <utility>

#include "topologies/routing/flow_hash.h"

namespace rackwright::topologies {

namespace {

/// The best known way to one vertex (and climb) of the current distance.
struct Best {
  double busiest = 0;
  std::uint64_t tie = 0;
  std::size_t before = 0;  ///< Position in the layer before.
  LinkIndex link;
};

struct Reached {
  VertexIndex vertex;
  Climb climb = Climb::up;
  Best best;
};

}  // namespace

LoadedPath least_loaded_path(const Topology& topology, const Guide& guide, VertexIndex from, const LinkLoads& loads, std::uint64_t flow) {
  LoadedPath path;
  const int distance = guide.hops(from);
  if (distance == 0 || distance >= Guide::unreachable) return path;

  // Every link leads from one distance to the next, so layer by layer the smallest maximum is final.
  std::vector<std::vector<Reached>> layers{{{from, Climb::up, {}}}};
  std::vector<NextHop> hops;
  for (int layer = 0; layer < distance; ++layer) {
    std::map<std::pair<VertexIndex, Climb>, Best> next;
    for (std::size_t i = 0; i < layers.back().size(); ++i) {
      const Reached& at = layers.back()[i];
      guide.next_hops(at.vertex, at.climb, hops);
      for (const NextHop& hop : hops) {
        const Best candidate{std::max(at.best.busiest, loads.load(hop.link)), flow_hash(flow, hop.link.value), i, hop.link};
        const auto [place, is_new] = next.try_emplace({topology[hop.link].to, hop.climb}, candidate);
        if (!is_new && std::pair(candidate.busiest, candidate.tie) < std::pair(place->second.busiest, place->second.tie))
          place->second = candidate;
      }
    }
    std::vector<Reached>& reached = layers.emplace_back();
    for (const auto& [key, best] : next) reached.push_back({key.first, key.second, best});
  }

  std::size_t place = 0;
  for (std::size_t i = 1; i < layers.back().size(); ++i)
    if (layers.back()[i].best.busiest < layers.back()[place].best.busiest) place = i;
  path.busiest = layers.back()[place].best.busiest;
  for (std::size_t layer = layers.size() - 1; layer > 0; --layer) {
    const Best& best = layers[layer][place].best;
    path.links.push_back(best.link);
    place = best.before;
  }
  std::ranges::reverse(path.links);
  return path;
}

}  // namespace rackwright::topologies
