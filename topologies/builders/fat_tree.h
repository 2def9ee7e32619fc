#pragma once

#include <span>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// The k-ary fat-tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation
/// switches, (k/2)² cores. An edge switch has k/2 · oversubscription ports down and k/2 up; with 1 that is k³/4 ports
/// for NICs at full bisection.
struct FatTreeParameters {
  int k = 4;                       ///< Even.
  double oversubscription = 1;     ///< Bandwidth down over bandwidth up at the edge; k/2 · this is a whole number.
  double bandwidth = 50e9;         ///< B/s per direction of every cable. NDR: 400 Gb/s.
  double nic_latency_s = 0.6e-6;     ///< s; as in LeafSpineParameters.
  double switch_latency_s = 0.33e-6; ///< s; as in LeafSpineParameters.
  LinkKind kind = LinkKind::infiniband;
  Cable host_cable = Cable::copper;
  Cable pod_cable = Cable::multimode;
  Cable core_cable = Cable::single_mode;
  bool reduces = false;

  /// NICs that the tree can take.
  int capacity() const;
};

void check(const FatTreeParameters& parameters, int nics, std::string_view path, Diagnostics& diagnostics);

/// Adds the switches and connects every NIC of the hosts, in order, edge switch by edge switch.
void add_fat_tree(TopologyBuilder& builder, const FatTreeParameters& parameters, std::span<const HostPorts> hosts, std::string_view name);

}  // namespace rackwright::topologies
