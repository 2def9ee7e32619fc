#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rackwright::topologies {

/// An undirected edge; several may join the same two vertices.
struct Edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// Which of `vertices` vertices hang together.
struct Components {
  int count = 0;
  std::vector<std::uint32_t> of;  ///< By vertex, from 0.
};
Components connected_components(std::uint32_t vertices, std::span<const Edge> edges);

/// What splits a component when it alone is lost.
struct CutPoints {
  std::vector<std::uint32_t> vertices;  ///< Articulation points, ascending.
  std::vector<std::uint32_t> edges;     ///< Bridges, by position in `edges`, ascending.
};
CutPoints cut_points(std::uint32_t vertices, std::span<const Edge> edges);

}  // namespace rackwright::topologies
