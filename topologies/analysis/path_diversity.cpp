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

}  // namespace

PathDiversity path_diversity(const FabricView& view, int most_pairs) {
  PathDiversity diversity;
  const std::vector<std::uint32_t> ends = representatives(view);
  const double all = static_cast<double>(ends.size()) * (static_cast<double>(ends.size()) - 1) / 2;
  if (all < 1 || most_pairs < 1) return diversity;
  const ArcIndex arcs(view);
  const double stride = std::max(1.0, all / most_pairs);
  double next = 0;
  double number = 0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (std::size_t j = i + 1; j < ends.size(); ++j, ++number) {
      if (number < next) continue;
      next += stride;
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
