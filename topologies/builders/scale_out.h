#pragma once

#include <array>
#include <span>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

enum class ScaleOutKind {
  rail_leaf_spine,  ///< One leaf a rail in every pod, spines above; cores where spines have too few ports.
  fat_tree,
  dragonfly,
  dragonfly_plus,
};

/// A scale-out network as an architect asks for it; sizes of its parts follow from the hosts that hang on it.
///
///  rail_leaf_spine  a leaf has so many hosts that its ports suffice; uplinks = downlinks / oversubscription; while all
///                   leaves fit the ports of a spine there are two tiers, beyond that three with spines of each rail.
///  fat_tree         the smallest even k that holds the NICs
///  dragonfly        balanced, a = 2p = 2h (Kim et al., ISCA 2008), the smallest p that holds the NICs
///  dragonfly_plus   as many spines as leaves as NICs of a leaf as global links of a spine, the fewest that hold the NICs
struct ScaleOutParameters {
  ScaleOutKind kind = ScaleOutKind::rail_leaf_spine;
  int rails = 0;                     ///< 0: the NICs of a host.
  int hosts_per_pod = 0;             ///< 0: as many as the ports of a leaf allow.
  double oversubscription = 1;       ///< Bandwidth down over bandwidth up at the leaves.
  double bandwidth = 50e9;           ///< B/s per direction of every cable.
  int switch_ports = 64;             ///< Quantum-2 QM9700: 64 (NVIDIA).
  double nic_latency_s = 0.6e-6;     ///< As in LeafSpineParameters.
  double switch_latency_s = 0.33e-6; ///< As in LeafSpineParameters.
  LinkKind link = LinkKind::infiniband;
  bool reduces = false;              ///< The switches sum what passes through them (SHARP).
};

/// Whether the network can be built for these hosts.
void check(const ScaleOutParameters& parameters, int hosts, int nics_per_host, std::string_view path, Diagnostics& diagnostics);

/// Adds the switches and connects the NICs of the hosts, in order. The parameters have passed check().
void add_scale_out(TopologyBuilder& builder, const ScaleOutParameters& parameters, std::span<const HostPorts> hosts, std::string_view name);

}  // namespace rackwright::topologies
