#include "topologies/analysis/reachability.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "topologies/graph/components.h"

namespace rackwright::topologies {

namespace {

using ComponentSet = std::vector<std::uint32_t>;

bool share_one(const ComponentSet& a, const ComponentSet& b) {
  std::vector<std::uint32_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return !common.empty();
}

/// By node: the components of forwarding nodes that it is in or, if it does not forward, that it hangs on.
std::vector<ComponentSet> components_touched(const FabricView& view) {
  std::vector<Edge> edges;
  for (const FabricView::Cable& cable : view.cables)
    if (view.nodes[cable.a].forwards && view.nodes[cable.b].forwards) edges.push_back({cable.a, cable.b});
  const Components components = connected_components(static_cast<std::uint32_t>(view.nodes.size()), edges);
  std::vector<ComponentSet> touched(view.nodes.size());
  for (const FabricView::Cable& cable : view.cables)
    for (const auto& [node, other] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)})
      if (!view.nodes[node].forwards && view.nodes[other].forwards) touched[node].push_back(components.of[other]);
  for (std::uint32_t n = 0; n < view.nodes.size(); ++n) {
    // One that hangs on nothing is a component of its own.
    if (touched[n].empty()) touched[n] = {components.of[n]};
    std::ranges::sort(touched[n]);
    const auto repeated = std::ranges::unique(touched[n]);
    touched[n].erase(repeated.begin(), repeated.end());
  }
  return touched;
}

}  // namespace

double separated_share(const FabricView& view) {
  const std::vector<ComponentSet> touched = components_touched(view);
  struct Weights {
    double sum = 0;
    double squares = 0;
  };
  std::map<ComponentSet, Weights> groups;
  Weights total;
  for (std::uint32_t n = 0; n < view.nodes.size(); ++n) {
    const double weight = view.nodes[n].weight;
    for (Weights* weights : {&groups[touched[n]], &total}) {
      weights->sum += weight;
      weights->squares += weight * weight;
    }
  }
  std::map<std::uint32_t, std::vector<const std::pair<const ComponentSet, Weights>*>> touching;  // By component.
  for (const auto& group : groups)
    for (const std::uint32_t component : group.first) touching[component].push_back(&group);
  double together = 0;
  for (const auto& group : groups) {
    together += group.second.sum * group.second.sum - group.second.squares;
    std::set<const std::pair<const ComponentSet, Weights>*> met{&group};
    for (const std::uint32_t component : group.first)
      for (const auto* other : touching.at(component))
        if (met.insert(other).second) together += group.second.sum * other->second.sum;
  }
  // Terminals that do not forward may be joined directly.
  std::set<std::pair<std::uint32_t, std::uint32_t>> direct;
  for (const FabricView::Cable& cable : view.cables)
    if (!view.nodes[cable.a].forwards && !view.nodes[cable.b].forwards && !share_one(touched[cable.a], touched[cable.b]))
      direct.insert(std::minmax(cable.a, cable.b));
  for (const auto& [a, b] : direct) together += 2 * view.nodes[a].weight * view.nodes[b].weight;
  const double pairs = total.sum * total.sum - total.squares;
  return pairs > 0 ? std::max(0.0, 1 - together / pairs) : 0;
}

SinglePoints single_points_of_failure(const FabricView& view) {
  // A node that does not forward is, for each of its cables, a separate end, so that no path leads through it.
  std::vector<Edge> edges;
  auto nodes = static_cast<std::uint32_t>(view.nodes.size());
  std::map<std::uint32_t, int> cables_of;
  for (const FabricView::Cable& cable : view.cables) {
    ++cables_of[cable.a];
    ++cables_of[cable.b];
  }
  for (const FabricView::Cable& cable : view.cables) {
    Edge edge{cable.a, cable.b};
    for (std::uint32_t* end : {&edge.a, &edge.b})
      if (!view.nodes[*end].forwards) *end = nodes++;
    edges.push_back(edge);
  }
  const CutPoints cut = cut_points(nodes, edges);
  SinglePoints points;
  // The one cable of a terminal is a single point; the n-th of several is not.
  for (const std::uint32_t e : cut.edges) {
    const FabricView::Cable& cable = view.cables[e];
    const auto is_spare = [&](std::uint32_t n) { return !view.nodes[n].forwards && cables_of[n] > 1; };
    if (!is_spare(cable.a) && !is_spare(cable.b)) points.cables.push_back(e);
  }
  // A node above single-homed terminals cuts them off; above multi-homed ones only if it splits the nodes that forward.
  std::vector<Edge> inner;
  std::set<std::uint32_t> holds;
  for (const FabricView::Cable& cable : view.cables) {
    if (view.nodes[cable.a].forwards && view.nodes[cable.b].forwards) inner.push_back({cable.a, cable.b});
    if (!view.nodes[cable.a].forwards && view.nodes[cable.a].weight > 0 && cables_of[cable.a] == 1) holds.insert(cable.b);
    if (!view.nodes[cable.b].forwards && view.nodes[cable.b].weight > 0 && cables_of[cable.b] == 1) holds.insert(cable.a);
  }
  for (const std::uint32_t n : cut_points(static_cast<std::uint32_t>(view.nodes.size()), inner).vertices) holds.insert(n);
  for (const std::uint32_t n : holds)
    if (view.nodes[n].forwards) points.nodes.push_back(n);
  return points;
}

}  // namespace rackwright::topologies
