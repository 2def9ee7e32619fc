#include "topologies/graph/topology_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::topologies {

namespace {

std::string domain_key(DomainKind kind, std::string_view name) {
  return std::string(to_string(kind)) + '/' + std::string(name);
}

}  // namespace

VertexIndex TopologyBuilder::add(Vertex vertex) {
  const auto index = static_cast<std::uint32_t>(vertices_.size());
  const bool is_new = by_name_.emplace(vertex.name, index).second;
  invariant(is_new, "vertex names are unique: " + vertex.name);
  vertices_.push_back(std::move(vertex));
  last_port_.push_back(0);
  return {index};
}

std::optional<VertexIndex> TopologyBuilder::find(std::string_view name) const {
  const auto place = by_name_.find(std::string(name));
  if (place == by_name_.end()) return std::nullopt;
  return VertexIndex{place->second};
}

std::string TopologyBuilder::unique_name(std::string_view name) {
  std::string candidate(name);
  if (!has(candidate)) return candidate;
  // Counting on from the last one keeps a file of equal names linear.
  int& suffix = last_suffix_.try_emplace(candidate, 1).first->second;
  do candidate = std::string(name) + '#' + std::to_string(++suffix);
  while (has(candidate));
  return candidate;
}

DomainIndex TopologyBuilder::domain(DomainKind kind, std::string_view name) {
  const auto [place, is_new] = by_domain_.emplace(domain_key(kind, name), static_cast<std::uint32_t>(domains_.size()));
  if (is_new) domains_.push_back({kind, std::string(name)});
  return {place->second};
}

std::uint16_t TopologyBuilder::take_port(VertexIndex vertex, std::uint16_t wanted) {
  std::uint16_t& last = last_port_[vertex.value];
  if (wanted == 0) wanted = last == std::numeric_limits<std::uint16_t>::max() ? last : static_cast<std::uint16_t>(last + 1);
  last = std::max(last, wanted);
  return wanted;
}

LinkIndex TopologyBuilder::connect(VertexIndex a, VertexIndex b, const LinkSpec& spec, Ports ports) {
  return connect_asymmetric(a, b, spec, spec.bandwidth, ports);
}

LinkIndex TopologyBuilder::connect_asymmetric(VertexIndex a, VertexIndex b, const LinkSpec& spec, double back_bandwidth,
                                              Ports ports) {
  invariant(a != b && a.value < vertices_.size() && b.value < vertices_.size(), "a cable joins two known vertices");
  invariant(spec.bandwidth >= 0 && back_bandwidth >= 0 && spec.latency_s >= 0, "bandwidth and latency are not negative");
  const auto index = static_cast<std::uint32_t>(links_.size());
  const std::uint16_t from_port = take_port(a, ports.from);
  const std::uint16_t to_port = take_port(b, ports.to);
  links_.push_back({a, b, spec.bandwidth, spec.latency_s, spec.kind, spec.cable, from_port, to_port, spec.lanes});
  links_.push_back({b, a, back_bandwidth, spec.latency_s, spec.kind, spec.cable, to_port, from_port, spec.lanes});
  return {index};
}

VertexIndex TopologyBuilder::append(const Topology& part, std::string_view prefix) {
  const auto offset = static_cast<std::uint32_t>(vertices_.size());
  std::vector<DomainIndex> moved;
  for (const FailureDomain& old : part.domains()) moved.push_back(domain(old.kind, std::string(prefix) + old.name));
  for (Vertex vertex : part.vertices()) {
    vertex.name = std::string(prefix) + vertex.name;
    for (DomainIndex& in : vertex.domains)
      if (in != no_domain) in = moved[in.value];
    add(std::move(vertex));
  }
  for (std::size_t i = 0; i < part.links().size(); i += 2) {
    const Link& link = part.links()[i];
    connect_asymmetric({link.from.value + offset}, {link.to.value + offset},
                       {link.bandwidth, link.latency_s, link.kind, link.cable, link.lanes}, part.links()[i + 1].bandwidth,
                       {link.from_port, link.to_port});
  }
  for (Grid grid : part.grids()) {
    grid.first.value += offset;
    grids_.push_back(grid);
  }
  return {offset};
}

Topology TopologyBuilder::build() {
  Topology topology(std::move(vertices_), std::move(links_), std::move(domains_), std::move(grids_));
  *this = TopologyBuilder();
  return topology;
}

}  // namespace rackwright::topologies
