#pragma once

#include <span>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// Dragonfly+ (Shpiner et al., HiPINEB 2017), also called Megafly: each group is a two-tier leaf-spine whose spines carry
/// the cables between groups. At most spines_per_group · global_links_per_spine + 1 groups.
struct DragonflyPlusParameters {
  int groups = 9;
  int leaves_per_group = 4;
  int spines_per_group = 4;
  int nics_per_leaf = 4;
  int global_links_per_spine = 2;
  double bandwidth = 50e9;         ///< B/s per direction of every cable. NDR: 400 Gb/s.
  double nic_latency_s = 0.6e-6;     ///< s; as in LeafSpineParameters.
  double switch_latency_s = 0.33e-6; ///< s; as in LeafSpineParameters.
  LinkKind kind = LinkKind::infiniband;
  Cable host_cable = Cable::copper;
  Cable local_cable = Cable::multimode;
  Cable global_cable = Cable::single_mode;
};

void check(const DragonflyPlusParameters& parameters, int nics, std::string_view path, Diagnostics& diagnostics);

/// Adds the switches, joins the groups (global_links) and connects every NIC of the hosts, in order, leaf by leaf.
void add_dragonfly_plus(TopologyBuilder& builder, const DragonflyPlusParameters& parameters, std::span<const HostPorts> hosts,
                        std::string_view name);

}  // namespace rackwright::topologies
