#include "topologies/builders/chip_mesh.h"

#include <fmt/format.h>

#include "topologies/builders/global_links.h"
#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

HostPorts add_node(TopologyBuilder& builder, const ChipMeshParameters& p, std::string_view name, int number, DomainIndex rack, DomainIndex island) {
  HostPorts node;
  node.name = fmt::format("{}/node{}", name, number);
  node.host = builder.domain(DomainKind::host, node.name);
  const LinkSpec lanes{p.lanes_between_chips * p.link_bandwidth, link_latency_s(p.hop_latency_s, p.hop_latency_s, p.node_cable),
                       LinkKind::chip_to_chip, p.node_cable, static_cast<std::uint16_t>(p.lanes_between_chips)};
  for (int c = 0; c < p.chips_per_node; ++c) {
    Vertex vertex = host_vertex(fmt::format("{}/acc{}", node.name, c), VertexKind::accelerator, Forwarding::always, node.host, rack);
    vertex.in(DomainKind::island) = island;
    const VertexIndex chip = builder.add(std::move(vertex));
    for (const VertexIndex other : node.accelerators) builder.connect(other, chip, lanes);
    node.accelerators.push_back(chip);
  }
  if (p.nics_per_node == 0) return node;
  const LinkSpec pcie{p.pcie_bandwidth, link_latency_s(p.pcie_latency_s, p.pcie_latency_s, Cable::board), LinkKind::pcie, Cable::board};
  node.processors.push_back(builder.add(host_vertex(node.name + "/cpu0", VertexKind::processor, Forwarding::within_host, node.host, rack)));
  for (const VertexIndex chip : node.accelerators) builder.connect(node.processors.front(), chip, pcie);
  for (int n = 0; n < p.nics_per_node; ++n) {
    node.nics.push_back(builder.add(host_vertex(fmt::format("{}/nic{}", node.name, n), VertexKind::nic, Forwarding::within_host, node.host, rack)));
    builder.connect(node.processors.front(), node.nics.back(), pcie);
  }
  return node;
}

}  // namespace

void check(const ChipMeshParameters& p, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("chips_per_node", p.chips_per_node, 1);
  check.at_least("nodes_per_group", p.nodes_per_group, 1);
  check.at_least("groups", p.groups, 1);
  check.at_least("lanes_between_chips", p.lanes_between_chips, 1);
  check.holds(p.lanes_between_chips < 65536, "lanes_between_chips", fmt::format("{} is more than 65535", p.lanes_between_chips));
  check.at_least("group_links_per_chip", p.group_links_per_chip, p.nodes_per_group > 1 ? 1 : 0);
  check.at_least("system_links_per_chip", p.system_links_per_chip, p.groups > 1 ? 1 : 0);
  check.positive("link_bandwidth", p.link_bandwidth);
  check.at_least("hop_latency_s", p.hop_latency_s, 0);
  check.at_least("nics_per_node", p.nics_per_node, 0);
  check.positive("pcie_bandwidth", p.pcie_bandwidth);
  check.at_least("pcie_latency_s", p.pcie_latency_s, 0);
  if (diagnostics.error_count() > errors) return;
  const double chips = double{1} * p.chips_per_node * p.nodes_per_group * p.groups;
  check.vertices(chips + double{1} * p.nodes_per_group * p.groups * (1 + p.nics_per_node));
  check.vertices(0.01 * chips * (p.chips_per_node + p.group_links_per_chip + p.system_links_per_chip));
  const double node_ports = double{1} * p.chips_per_node * p.group_links_per_chip;
  check.holds(p.nodes_per_group - 1 <= node_ports, "nodes_per_group",
              fmt::format("{} nodes cannot all be joined by {:.0f} links each", p.nodes_per_group, node_ports));
  const double group_ports = double{1} * p.nodes_per_group * p.chips_per_node * p.system_links_per_chip;
  check.holds(p.groups - 1 <= group_ports, "groups", fmt::format("{} groups cannot all be joined by {:.0f} links each", p.groups, group_ports));
}

std::vector<HostPorts> add_chip_mesh(TopologyBuilder& builder, const ChipMeshParameters& p, std::string_view name) {
  const DomainIndex island = builder.domain(DomainKind::island, name);
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  std::vector<HostPorts> nodes;
  for (int g = 0; g < p.groups; ++g) {
    const DomainIndex rack = builder.domain(DomainKind::rack, p.groups == 1 ? std::string(name) : fmt::format("{}/group{}", name, g));
    for (int n = 0; n < p.nodes_per_group; ++n) nodes.push_back(add_node(builder, p, name, g * p.nodes_per_group + n, rack, island));
  }
  // Port q of a node or group belongs to chip q mod the chips it has, so that all chips carry the same number of links.
  const auto spec = [&](Cable cable) {
    return LinkSpec{p.link_bandwidth, link_latency_s(p.hop_latency_s, p.hop_latency_s, cable), LinkKind::chip_to_chip, cable};
  };
  for (int g = 0; g < p.groups; ++g)
    for (const GlobalLink& link : global_links(p.nodes_per_group, p.chips_per_node * p.group_links_per_chip)) {
      const HostPorts& a = nodes[at(g * p.nodes_per_group + link.group_a)];
      const HostPorts& b = nodes[at(g * p.nodes_per_group + link.group_b)];
      builder.connect(a.accelerators[at(link.port_a % p.chips_per_node)], b.accelerators[at(link.port_b % p.chips_per_node)], spec(p.group_cable));
    }
  const int chips_per_group = p.nodes_per_group * p.chips_per_node;
  const auto chip_of = [&](int group, int port) {
    const int chip = port % chips_per_group;
    return nodes[at(group * p.nodes_per_group + chip / p.chips_per_node)].accelerators[at(chip % p.chips_per_node)];
  };
  for (const GlobalLink& link : global_links(p.groups, chips_per_group * p.system_links_per_chip))
    builder.connect(chip_of(link.group_a, link.port_a), chip_of(link.group_b, link.port_b), spec(p.system_cable));
  return nodes;
}

}  // namespace rackwright::topologies
