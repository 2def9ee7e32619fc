#include "topologies/analysis/fabric_view.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rackwright::topologies {

namespace {

constexpr std::uint32_t none = 0xffffffffu;

bool may_send(VertexKind kind) {
  return kind == VertexKind::accelerator || kind == VertexKind::processor || kind == VertexKind::nic || kind == VertexKind::host || kind == VertexKind::node;
}

/// For each vertex the smallest of those that share its host or island, over and over.
std::vector<std::uint32_t> block_of(const Topology& topology) {
  std::vector<std::uint32_t> parent(topology.vertex_count());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (std::uint32_t d = 0; d < topology.domains().size(); ++d) {
    const DomainKind kind = topology.domains()[d].kind;
    const std::span<const VertexIndex> members = topology.members({d});
    if ((kind != DomainKind::host && kind != DomainKind::island) || members.empty()) continue;
    for (const VertexIndex member : members) {
      const std::uint32_t a = find(members.front().value);
      const std::uint32_t b = find(member.value);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::uint32_t v = 0; v < parent.size(); ++v) parent[v] = find(v);
  return parent;
}

void add_cable(FabricView& view, const Topology& topology, LinkIndex index, std::uint32_t a, std::uint32_t b) {
  const double there = topology[index].bandwidth;
  const double back = topology[reverse(index)].bandwidth;
  if (a != b && (there > 0 || back > 0)) view.cables.push_back({a, b, there, back, index});
}

}  // namespace

double FabricView::total_weight() const {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0, [](double sum, const Node& node) { return sum + node.weight; });
}

std::vector<std::uint32_t> FabricView::terminals() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].weight > 0) found.push_back(n);
  return found;
}

bool FabricView::is_terminal_cable(const Cable& cable) const {
  return std::ranges::any_of(std::array{cable.a, cable.b}, [&](std::uint32_t n) { return nodes[n].weight > 0 && !nodes[n].forwards; });
}

FabricView view_between_hosts(const Topology& topology) {
  const std::vector<std::uint32_t> block = block_of(topology);
  std::vector<double> accelerators(topology.vertex_count(), 0);
  std::vector<bool> sends(topology.vertex_count(), false);
  for (std::uint32_t v = 0; v < topology.vertex_count(); ++v) {
    accelerators[block[v]] += topology.vertices()[v].kind == VertexKind::accelerator;
    if (may_send(topology.vertices()[v].kind)) sends[block[v]] = true;
  }
  FabricView view;
  std::vector<std::uint32_t> node_of(topology.vertex_count(), none);
  for (std::uint32_t v = 0; v < topology.vertex_count(); ++v) {
    const Vertex& vertex = topology.vertices()[v];
    if (vertex.kind == VertexKind::aggregation_node) continue;
    if (block[v] != v) {
      node_of[v] = node_of[block[v]];
      continue;
    }
    const DomainIndex host = vertex.in(DomainKind::host);
    const DomainIndex island = vertex.in(DomainKind::island);
    const bool is_block = host != no_domain || island != no_domain;
    node_of[v] = static_cast<std::uint32_t>(view.nodes.size());
    view.nodes.push_back({island != no_domain ? topology[island].name : is_block ? topology[host].name : vertex.name,
                          sends[v] ? std::max(accelerators[v], 1.0) : 0.0, !is_block && vertex.forwarding == Forwarding::always});
  }
  if (view.total_weight() == 0)
    for (FabricView::Node& node : view.nodes) node.weight = 1;
  for (std::uint32_t i = 0; i < topology.links().size(); i += 2) {
    const std::uint32_t a = node_of[topology.links()[i].from.value];
    const std::uint32_t b = node_of[topology.links()[i].to.value];
    if (a != none && b != none) add_cable(view, topology, {i}, a, b);
  }
  return view;
}

FabricView view_inside_island(const Topology& topology, DomainIndex island) {
  FabricView view;
  std::unordered_map<std::uint32_t, std::uint32_t> node_of;
  for (const VertexIndex member : topology.members(island)) {
    const Vertex& vertex = topology[member];
    node_of.emplace(member.value, static_cast<std::uint32_t>(view.nodes.size()));
    view.nodes.push_back({vertex.name, vertex.kind == VertexKind::accelerator ? 1.0 : 0.0, vertex.forwarding == Forwarding::always});
  }
  for (const VertexIndex member : topology.members(island))
    for (const LinkIndex link : topology.out_links(member)) {
      const auto other = node_of.find(topology[link].to.value);
      if (link.value % 2 == 0 && other != node_of.end()) add_cable(view, topology, link, node_of.at(member.value), other->second);
    }
  return view;
}

FabricView with_losses(const FabricView& view, const std::vector<float>& left) {
  FabricView rest{view.nodes, {}};
  for (FabricView::Cable cable : view.cables) {
    const auto share = static_cast<double>(left[cable.link.value / 2]);
    cable.there *= share;
    cable.back *= share;
    if (share > 0) rest.cables.push_back(cable);
  }
  return rest;
}

TwinView merge_twins(const FabricView& view) {
  // What a terminal hangs on: neighbour, bandwidth out, bandwidth in, sorted.
  using Attachment = std::tuple<std::uint32_t, double, double>;
  std::vector<std::vector<Attachment>> attachments(view.nodes.size());
  const auto may_merge = [&](std::uint32_t n) { return view.nodes[n].weight > 0 && !view.nodes[n].forwards; };
  for (const FabricView::Cable& cable : view.cables) {
    if (may_merge(cable.a)) attachments[cable.a].emplace_back(cable.b, cable.there, cable.back);
    if (may_merge(cable.b)) attachments[cable.b].emplace_back(cable.a, cable.back, cable.there);
  }
  TwinView twins;
  std::map<std::vector<Attachment>, std::uint32_t> seen;
  for (std::uint32_t n = 0; n < view.nodes.size(); ++n) {
    std::ranges::sort(attachments[n]);
    // Two terminals joined to each other are no twins: each has the other as a neighbour.
    const auto next = static_cast<std::uint32_t>(twins.view.nodes.size());
    const std::uint32_t merged = may_merge(n) && !attachments[n].empty() ? seen.try_emplace(attachments[n], next).first->second : next;
    if (merged == next) {
      twins.view.nodes.push_back({view.nodes[n].name, 0, view.nodes[n].forwards});
      twins.inner_pairs.push_back(0);
    }
    FabricView::Node& node = twins.view.nodes[merged];
    twins.inner_pairs[merged] += 2 * node.weight * view.nodes[n].weight;
    node.weight += view.nodes[n].weight;
    twins.node_of.push_back(merged);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> between;
  for (const FabricView::Cable& cable : view.cables) {
    FabricView::Cable moved{twins.node_of[cable.a], twins.node_of[cable.b], cable.there, cable.back, cable.link};
    if (moved.a > moved.b) {
      std::swap(moved.a, moved.b);
      std::swap(moved.there, moved.back);
    }
    const auto [place, is_new] = between.try_emplace({moved.a, moved.b}, twins.view.cables.size());
    if (is_new) {
      twins.view.cables.push_back(moved);
    } else {
      twins.view.cables[place->second].there += moved.there;
      twins.view.cables[place->second].back += moved.back;
    }
  }
  return twins;
}

ArcIndex::ArcIndex(const FabricView& view) : first_(view.nodes.size() + 1, 0), first_in_(view.nodes.size() + 1, 0) {
  for (std::uint32_t c = 0; c < view.cables.size(); ++c) {
    const FabricView::Cable& cable = view.cables[c];
    if (cable.there > 0) arcs_.push_back({cable.a, cable.b, cable.there, c});
    if (cable.back > 0) arcs_.push_back({cable.b, cable.a, cable.back, c});
  }
  std::ranges::stable_sort(arcs_, {}, &Arc::from);
  for (const Arc& arc : arcs_) {
    ++first_[arc.from + 1];
    ++first_in_[arc.to + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::partial_sum(first_in_.begin(), first_in_.end(), first_in_.begin());
  in_.resize(arcs_.size());
  std::vector<std::size_t> next(first_in_.begin(), first_in_.end() - 1);
  for (std::uint32_t a = 0; a < arcs_.size(); ++a) in_[next[arcs_[a].to]++] = a;
}

std::vector<int> hops_to(const FabricView& view, const ArcIndex& arcs, std::uint32_t target, std::vector<std::uint32_t>& order) {
  std::vector<int> hops(view.nodes.size(), -1);
  order.assign(1, target);
  hops[target] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t at = order[i];
    if (at != target && !view.nodes[at].forwards) continue;
    for (const std::uint32_t a : arcs.in(at)) {
      const std::uint32_t before = arcs.all()[a].from;
      if (hops[before] >= 0) continue;
      hops[before] = hops[at] + 1;
      order.push_back(before);
    }
  }
  return hops;
}

}  // namespace rackwright::topologies
