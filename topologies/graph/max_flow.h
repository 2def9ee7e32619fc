#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rackwright::topologies {

/// A directed network with capacities, for max-flow = min-cut questions (Boykov-Kolmogorov, by Boost.Graph).
class FlowNetwork {
 public:
  explicit FlowNetwork(std::uint32_t vertices) : vertices_(vertices) {}

  /// Capacities are at least 0 and finite; `back` is the one of the way back.
  void add_edge(std::uint32_t from, std::uint32_t to, double capacity, double back);

  struct Cut {
    double capacity = 0;
    std::vector<bool> source_side;  ///< By vertex: still reached from the sources when the flow is greatest.
  };
  /// The smallest cut between two disjoint, non-empty sets of vertices, taken as wholes.
  Cut min_cut(std::span<const std::uint32_t> sources, std::span<const std::uint32_t> sinks) const;

 private:
  struct Arc {
    std::uint32_t from;
    std::uint32_t to;
    double capacity;
    double back;
  };
  std::uint32_t vertices_;
  std::vector<Arc> arcs_;
};

}  // namespace rackwright::topologies
