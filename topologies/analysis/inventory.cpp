#include "topologies/analysis/inventory.h"

#include <algorithm>

namespace rackwright::topologies {

double cable_power_w(const Link& there, const Link& back, const LinkPowerParameters& p) {
  const double bits_per_s = 8 * (there.bandwidth + back.bandwidth);
  switch (there.cable) {
    case Cable::unknown: return 0;
    case Cable::package: return bits_per_s * p.package_j_per_bit;
    case Cable::board:
    case Cable::backplane:
    case Cable::copper:
    case Cable::active_copper: return bits_per_s * p.copper_j_per_bit;
    case Cable::multimode:
    case Cable::single_mode: return bits_per_s * p.pluggable_j_per_bit;
    case Cable::co_packaged: return bits_per_s * p.co_packaged_j_per_bit;
  }
  return 0;
}

int Inventory::transceivers() const {
  int sum = 0;
  for (const auto& [kind, count] : cables) sum += count.transceivers;
  return sum;
}

double Inventory::power_w() const {
  double sum = 0;
  for (const auto& [kind, count] : cables) sum += count.power_w;
  return sum;
}

Inventory take_inventory(const Topology& topology, const LinkPowerParameters& parameters) {
  Inventory inventory;
  for (std::uint32_t v = 0; v < topology.vertex_count(); ++v) {
    const Vertex& vertex = topology.vertices()[v];
    ++inventory.vertices[vertex.kind];
    if (vertex.kind != VertexKind::network_switch && vertex.kind != VertexKind::scale_up_switch && vertex.kind != VertexKind::pcie_switch) continue;
    Inventory::PortCount& count = inventory.ports[{vertex.kind, vertex.tier}];
    ++count.switches;
    count.ports += vertex.ports;
    for (const LinkIndex link : topology.out_links({v})) count.used += topology[link].lanes;
  }
  for (std::size_t i = 0; i < topology.links().size(); i += 2) {
    const Link& there = topology.links()[i];
    const Link& back = topology.links()[i + 1];
    const double bandwidth = std::max(there.bandwidth, back.bandwidth) / there.lanes;
    Inventory::CableCount& count = inventory.cables[{there.kind, there.cable, bandwidth}];
    count.cables += there.lanes;
    if (has_pluggable_optics(there.cable)) count.transceivers += 2 * there.lanes;
    count.power_w += cable_power_w(there, back, parameters);
  }
  return inventory;
}

}  // namespace rackwright::topologies
