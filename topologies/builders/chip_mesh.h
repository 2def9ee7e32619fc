#pragma once

#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// Accelerators wired chip to chip, without switches, in three levels: every two chips of a node, every two nodes of a
/// group and every two groups of the system share at least one cable; chips forward for each other.
/// The defaults are GroqRack: nodes of 8 LPUs joined all to all (7 links each), groups (racks) of 9 nodes (ISCA 2022, "A
/// software-defined tensor streaming multiprocessor", up to 145 groups = 10,440 chips).
struct ChipMeshParameters {
  int chips_per_node = 8;
  int nodes_per_group = 9;
  int groups = 1;
  int lanes_between_chips = 1;       ///< Links between two chips of one node.
  int group_links_per_chip = 1;      ///< Links of a chip to other nodes of its group.
  int system_links_per_chip = 2;     ///< Links of a chip to other groups; unused with one group.
  double link_bandwidth = 14e9;      ///< B/s per direction of one link: 4 lanes of 28 Gb/s (Linley Group on the TSP, 2020).
  /// s a hop: under 3 µs end to end over at most five hops (ISCA 2022).
  double hop_latency_s = 0.6e-6;
  Cable node_cable = Cable::board;
  Cable group_cable = Cable::copper;
  Cable system_cable = Cable::multimode;
  int nics_per_node = 2;             ///< Of the node's host processor; assumed.
  double pcie_bandwidth = 31e9;      ///< B/s per direction, chip to processor and processor to NIC. PCIe 4.0 x16.
  double pcie_latency_s = 1e-6;        ///< s; as in PcieHostParameters.
};

void check(const ChipMeshParameters& parameters, std::string_view path, Diagnostics& diagnostics);

/// Adds the chips "name/node0/acc0" …; a node is a host, a group a rack, the whole an island.
std::vector<HostPorts> add_chip_mesh(TopologyBuilder& builder, const ChipMeshParameters& parameters, std::string_view name);

}  // namespace rackwright::topologies
