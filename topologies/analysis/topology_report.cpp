#include "topologies/analysis/topology_report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "topologies/analysis/reachability.h"

namespace rackwright::topologies {

namespace {

LevelReport analyze_level(const Topology& topology, const FabricView& view, const Grid* grid, const AnalysisParameters& p) {
  LevelReport level;
  level.terminals = static_cast<int>(view.terminals().size());
  level.weight = view.total_weight();
  level.switches = static_cast<int>(std::ranges::count_if(view.nodes, [](const FabricView::Node& node) { return node.weight == 0 && node.forwards; }));
  level.cables = static_cast<int>(view.cables.size());
  level.separated = separated_share(view);
  const SinglePoints points = single_points_of_failure(view);
  level.single_point_nodes = static_cast<int>(points.nodes.size());
  level.single_point_cables = static_cast<int>(points.cables.size());
  if (grid != nullptr) level.uniform = uniform_traffic_on_torus(view, *grid);
  if (!level.uniform) level.uniform = uniform_traffic(view, p.uniform_steps);
  level.diversity = path_diversity(view, p.diversity_pairs);
  level.bisection = bisection(view, level.uniform, grid, p.bisection);
  level.failures = failure_impacts(topology, view, level.bisection, level.uniform, p.failures);
  return level;
}

/// What tells islands of different make apart.
using Make = std::tuple<std::size_t, std::size_t, std::size_t, double>;

Make make_of(const FabricView& view) {
  double bandwidth = 0;
  for (const FabricView::Cable& cable : view.cables) bandwidth += cable.there + cable.back;
  return {view.nodes.size(), view.terminals().size(), view.cables.size(), bandwidth};
}

const Grid* grid_of(const Topology& topology, DomainIndex island) {
  const std::span<const VertexIndex> members = topology.members(island);
  for (const Grid& grid : topology.grids())
    if (members.size() == static_cast<std::size_t>(grid.count()) && std::ranges::all_of(members, [&](VertexIndex v) { return grid.contains(v); })) return &grid;
  return nullptr;
}

}  // namespace

TopologyReport analyze(const Topology& topology, const AnalysisParameters& p) {
  TopologyReport report;
  report.inventory = take_inventory(topology, p.power);
  report.tiers = oversubscription_by_tier(topology);
  report.pods = oversubscription_of_pods(topology);
  const FabricView between = view_between_hosts(topology);
  if (between.terminals().size() > 1) {
    report.levels.push_back(analyze_level(topology, between, nullptr, p));
    report.levels.back().name = "between hosts";
  }
  std::map<Make, std::size_t> seen;
  for (std::uint32_t d = 0; d < topology.domains().size(); ++d) {
    if (topology.domains()[d].kind != DomainKind::island) continue;
    const FabricView inside = view_inside_island(topology, {d});
    if (inside.terminals().size() < 2) continue;
    const auto [place, is_new] = seen.try_emplace(make_of(inside), report.levels.size());
    if (!is_new) {
      ++report.levels[place->second].alike;
      continue;
    }
    report.levels.push_back(analyze_level(topology, inside, grid_of(topology, {d}), p));
    report.levels.back().name = "inside island " + topology.domains()[d].name;
  }
  return report;
}

}  // namespace rackwright::topologies
