#pragma once

#include <cstdint>
#include <vector>

#include "topologies/routing/router.h"

namespace rackwright::topologies {

struct LoadedPath {
  std::vector<LinkIndex> links;
  double busiest = 0;  ///< The largest load on it.
};

/// Among the shortest paths that `guide` knows from `from`, the one whose busiest link is least busy; a hash of the flow
/// decides between equals. Looks at every link of those paths once. Empty when the target is out of reach.
LoadedPath least_loaded_path(const Topology& topology, const Guide& guide, VertexIndex from, const LinkLoads& loads, std::uint64_t flow);

}  // namespace rackwright::topologies
