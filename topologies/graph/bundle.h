#pragma once

#include <optional>
#include <span>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// A coarser topology in which parallel networks are one, so that a transfer over all of them is one flow.
///
/// Vertices that differ only in the domains bundled across (the eight NICs of a host across rails, the
/// eight leaves of a pod, the NVSwitches of an island across planes) become one vertex, and the n-th cables
/// of each become one cable with their summed bandwidth and lanes and the longest latency.
/// A transfer that uses r of the rails is one flow with a rate cap of r times the bandwidth of one lane.
/// What this gives up: that a transfer with one end on one rail cannot use the others. That cap states it.
struct Bundle {
  Topology topology;
  std::vector<VertexIndex> vertex_of;               ///< By vertex of the original.
  std::vector<std::optional<LinkIndex>> link_of;    ///< By link of the original; nothing for one that is inside a vertex now.
};
Bundle bundle(const Topology& topology, std::span<const DomainKind> across);

}  // namespace rackwright::topologies
