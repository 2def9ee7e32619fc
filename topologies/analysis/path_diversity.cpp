#include "topologies/analysis/path_diversity.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "topologies/graph/max_flow.h"

namespace rackwright::topologies {

namespace {

/// One terminal of each set of twins, and a second one where there is one.
std::vector<std::uint32_t> representatives(const FabricView& view) {
  const TwinView twins = merge_twins(view);
  std::vector<int> taken(twins.view.nodes.size(), 0);
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t t : view.terminals())
    if (taken[twins.node_of[t]]++ < 2) chosen.push_back(t);
  return chosen;
}

int disjoint_paths(const FabricView& view, std::uint32_t a, std::uint32_t b) {
  FlowNetwork network(static_cast<std::uint32_t>(view.nodes.size()));
  const auto passes = [&](std::uint32_t n) { return n == a || n == b || view.nodes[n].forwards; };
  for (const FabricView::Cable& cable : view.cables)
    if (passes(cable.a) && passes(cable.b)) network.add_edge(cable.a, cable.b, cable.there > 0 ? 1 : 0, cable.back > 0 ? 1 : 0);
  const std::uint32_t source[] = {a};
  const std::uint32_t sink[] = {b};
  return static_cast<int>(std::lround(network.min_cut(source, sink).capacity));
}

double shortest_paths(const FabricView& view, const ArcIndex& arcs, std::uint32_t a, std::uint32_t b) {
  std::vector<std::uint32_t> order;
  const std::vector<int> hops = hops_to(view, arcs, b, order);
  std::vector<double> ways(view.nodes.size(), 0);
  ways[b] = 1;
  for (const std::uint32_t at : order)
    for (const ArcIndex::Arc& arc : arcs.out(at))
      if (hops[arc.to] == hops[at] - 1 && (arc.to == b || view.nodes[arc.to].forwards)) ways[at] += ways[arc.to];
  return ways[a];
}

/// At most `count` of them, evenly spaced.
std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

}  // namespace

PathDiversity path_diversity(const FabricView& view, int most_pairs) {
  PathDiversity diversity;
  // n terminals make n (n - 1) / 2 pairs.
  const auto most_ends = static_cast<std::size_t>((1 + std::sqrt(1 + 8.0 * std::max(0, most_pairs))) / 2);
  const std::vector<std::uint32_t> ends = spread(representatives(view), most_ends);
  const ArcIndex arcs(view);
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (std::size_t j = i + 1; j < ends.size(); ++j) {
      const int disjoint = disjoint_paths(view, ends[i], ends[j]);
      const double shortest = shortest_paths(view, arcs, ends[i], ends[j]);
      const bool is_first = diversity.pairs++ == 0;
      diversity.fewest_disjoint = is_first ? disjoint : std::min(diversity.fewest_disjoint, disjoint);
      diversity.most_disjoint = std::max(diversity.most_disjoint, disjoint);
      diversity.fewest_shortest = is_first ? shortest : std::min(diversity.fewest_shortest, shortest);
      diversity.most_shortest = std::max(diversity.most_shortest, shortest);
    }
  return diversity;
}

}  // namespace rackwright::topologies
