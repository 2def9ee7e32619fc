#pragma once

#include <span>
#include <vector>

#include "topologies/builders/host_ports.h"
#include "topologies/graph/topology_builder.h"

namespace rackwright::topologies {

/// One cable between two groups, by the global port that it uses in each.
struct GlobalLink {
  int group_a = 0;
  int port_a = 0;
  int group_b = 0;
  int port_b = 0;
};

/// Joins every two of `groups` groups of `ports` global ports each, in rounds: in one round a group spends one port on
/// each other group (port d - 1 of the round goes to the group d places on, and comes back at port groups - d - 1).
/// The last, incomplete round joins those pairs for which both ends still have a port. Ports left over stay free.
/// With ports = groups - 1 every two groups share exactly one cable (the largest dragonfly).
std::vector<GlobalLink> global_links(int groups, int ports);

/// Connects the network cards of the hosts, in order, to `switches`, so many to each; a card and what is at its host belong to
/// the pod of its switch. There are switches for all.
void hang_below(TopologyBuilder& builder, std::span<const HostPorts> hosts, std::span<const VertexIndex> switches, int nics_per_switch,
                const LinkSpec& down);

}  // namespace rackwright::topologies
