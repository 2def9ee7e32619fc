#include "topologies/importers/route_graph.h"

#include <fmt/format.h>

namespace rackwright::topologies {

std::uint32_t RouteGraph::add_link(RoutedLink link) {
  links_.push_back(std::move(link));
  routed_.emplace_back();
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void RouteGraph::add_route(VertexIndex from, VertexIndex to, const std::vector<std::uint32_t>& over, Direction direction) {
  for (std::size_t i = 0; i < over.size(); ++i) {
    const Element before = i == 0 ? from.value : first_link + over[i - 1];
    const Element after = i + 1 == over.size() ? to.value : first_link + over[i + 1];
    routed_[over[i]].crossings.emplace(before, after);
    if (direction == Direction::both_ways) routed_[over[i]].crossings.emplace(after, before);
  }
}

void RouteGraph::connect() {
  vertices_ = builder_.vertex_count();
  for (Routed& routed : routed_) routed.is_shared = !split_neighbours(routed);
  while (!unite_ends()) {
  }
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    if (routed_[i].crossings.empty()) continue;
    if (routed_[i].is_shared)
      add_shared(i);
    else
      add_cable(i);
  }
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    if (routed_[i].is_shared) join_shared(i);
}

/// Two-colours the neighbours. False if a way across the link stays on one side, or a side has two vertices: then it
/// has no two ends.
bool RouteGraph::split_neighbours(Routed& routed) const {
  std::map<Element, std::vector<Element>> across;
  for (const auto& [before, after] : routed.crossings) {
    across[before].push_back(after);
    across[after].push_back(before);
  }
  for (const auto& [start, unused] : across) {
    if (!routed.side.try_emplace(start, 0).second) continue;
    std::vector<Element> queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const Element next : across[queue[i]]) {
        const std::size_t opposite = 1 - routed.side.at(queue[i]);
        const auto [place, is_new] = routed.side.try_emplace(next, opposite);
        if (is_new) queue.push_back(next);
        if (place->second != opposite) return false;
      }
  }
  int vertices[2] = {0, 0};
  for (const auto& [element, side] : routed.side) vertices[side] += element < first_link;
  return vertices[0] <= 1 && vertices[1] <= 1;
}

bool RouteGraph::unite_ends() {
  meets_ = UnionFind(vertices_ + 2 * links_.size());
  for (std::uint32_t i = 0; i < links_.size(); ++i)
    if (!routed_[i].is_shared)
      for (const auto& [neighbour, side] : routed_[i].side) unite(i, neighbour);

  // Two vertices that would become one, or a link that would end where it starts, show that something has no two ends.
  std::map<std::size_t, std::size_t> first_vertex;
  std::set<std::size_t> impossible;
  for (std::size_t v = 0; v < vertices_; ++v)
    if (!first_vertex.emplace(meets_.find(v), v).second) impossible.insert(meets_.find(v));
  bool all_well = true;
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    if (routed_[i].is_shared || routed_[i].crossings.empty()) continue;
    const std::size_t a = meets_.find(vertices_ + 2 * i);
    const std::size_t b = meets_.find(vertices_ + 2 * i + 1);
    if (a != b && !impossible.contains(a) && !impossible.contains(b)) continue;
    routed_[i].is_shared = true;
    all_well = false;
  }
  return all_well;
}

std::size_t RouteGraph::end(std::uint32_t link, Element facing) const { return vertices_ + 2 * link + routed_[link].side.at(facing); }

void RouteGraph::unite(std::uint32_t link, Element neighbour) {
  if (neighbour < first_link)
    meets_.unite(end(link, neighbour), neighbour);
  else if (!routed_[neighbour - first_link].is_shared)
    meets_.unite(end(link, neighbour), end(neighbour - first_link, first_link + link));
}

VertexIndex RouteGraph::vertex_at(std::size_t end) {
  // A set's number is its smallest member, so a vertex if it has one.
  const std::size_t set = meets_.find(end);
  if (set < vertices_) return {static_cast<std::uint32_t>(set)};
  const auto place = junctions_.find(set);
  if (place != junctions_.end()) return place->second;
  Vertex junction;
  junction.name = builder_.unique_name(fmt::format("junction{}", junctions_.size()));
  junction.kind = VertexKind::network_switch;
  return junctions_.emplace(set, builder_.add(std::move(junction))).first->second;
}

void RouteGraph::add_cable(std::uint32_t link) {
  bool used[2] = {false, false};
  for (const auto& [before, after] : routed_[link].crossings) used[routed_[link].side.at(before)] = true;
  const VertexIndex from = vertex_at(vertices_ + 2 * link);
  const VertexIndex to = vertex_at(vertices_ + 2 * link + 1);
  LinkSpec spec = links_[link].spec;
  const double bandwidth = std::exchange(spec.bandwidth, used[0] ? spec.bandwidth : 0);
  builder_.connect_asymmetric(from, to, spec, used[1] ? bandwidth : 0);
}

void RouteGraph::add_shared(std::uint32_t link) {
  ++shared_;
  for (VertexIndex* vertex : {&routed_[link].in, &routed_[link].out}) {
    Vertex medium;
    medium.name = builder_.unique_name(links_[link].name + (vertex == &routed_[link].in ? " in" : " out"));
    medium.kind = VertexKind::network_switch;
    *vertex = builder_.add(std::move(medium));
  }
  builder_.connect_asymmetric(routed_[link].in, routed_[link].out, links_[link].spec, 0);
}

/// The ways into and out of a shared link. They are as wide as it is and take no time of their own.
void RouteGraph::join_shared(std::uint32_t link) {
  LinkSpec spec = links_[link].spec;
  spec.latency_s = 0;
  const auto meeting = [&](Element neighbour, bool comes_before) {
    if (neighbour < first_link) return VertexIndex{neighbour};
    const Routed& other = routed_[neighbour - first_link];
    if (other.is_shared) return comes_before ? other.out : other.in;
    return vertex_at(end(neighbour - first_link, first_link + link));
  };
  for (const auto& [before, after] : routed_[link].crossings) {
    join_once(meeting(before, true), routed_[link].in, spec);
    join_once(routed_[link].out, meeting(after, false), spec);
  }
}

void RouteGraph::join_once(VertexIndex from, VertexIndex to, const LinkSpec& spec) {
  if (from != to && joined_.emplace(from, to).second) builder_.connect_asymmetric(from, to, spec, 0);
}

}  // namespace rackwright::topologies
