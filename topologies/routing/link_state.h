#pragma once

#include <cstdint>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// Which cables work. Causes are counted, so that a cable whose switch comes back stays down while it is cut itself.
class LinkState {
 public:
  explicit LinkState(const Topology& topology) : topology_(topology), causes_(topology.cable_count(), 0) {}

  /// Takes down or gives back a cable (both directions) or every cable of a vertex. Each restore answers one fail.
  void fail(LinkIndex link) { ++causes_[link.value / 2]; }
  void restore(LinkIndex link);
  void fail(VertexIndex vertex);
  void restore(VertexIndex vertex);

  bool usable(LinkIndex link) const { return causes_[link.value / 2] == 0 && topology_[link].bandwidth > 0; }

 private:
  const Topology& topology_;
  std::vector<std::uint16_t> causes_;  ///< By cable.
};

}  // namespace rackwright::topologies
