#pragma once

#include <span>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// The dragonfly of Kim, Dally, Scott and Abts (ISCA 2008): groups of `routers_per_group` (a) routers joined all to all,
/// each with `nics_per_router` (p) NICs and `global_links_per_router` (h) cables to other groups. At most a·h + 1 groups.
/// A balanced one has a = 2p = 2h.
struct DragonflyParameters {
  int groups = 9;
  int routers_per_group = 4;
  int nics_per_router = 2;
  int global_links_per_router = 2;
  double bandwidth = 50e9;         ///< B/s per direction of every cable. NDR: 400 Gb/s.
  double nic_latency_s = 0.6e-6;     ///< s; as in LeafSpineParameters.
  double router_latency_s = 0.33e-6; ///< s; as in LeafSpineParameters.
  LinkKind kind = LinkKind::infiniband;
  Cable host_cable = Cable::copper;
  Cable local_cable = Cable::copper;
  Cable global_cable = Cable::single_mode;
};

void check(const DragonflyParameters& parameters, int nics, std::string_view path, Diagnostics& diagnostics);

/// Adds the routers, joins the groups (global_links) and connects every NIC of the hosts, in order, router by router.
void add_dragonfly(TopologyBuilder& builder, const DragonflyParameters& parameters, std::span<const HostPorts> hosts, std::string_view name);

}  // namespace rackwright::topologies
