#include "topologies/graph/components.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/connected_components.hpp>

#include <algorithm>
#include <iterator>

namespace rackwright::topologies {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_index_t, std::uint32_t>>;

Graph build_graph(std::uint32_t vertices, std::span<const Edge> edges) {
  Graph graph(vertices);
  for (std::uint32_t i = 0; i < edges.size(); ++i) boost::add_edge(edges[i].a, edges[i].b, i, graph);
  return graph;
}

}  // namespace

Components connected_components(std::uint32_t vertices, std::span<const Edge> edges) {
  const Graph graph = build_graph(vertices, edges);
  Components components;
  components.of.resize(vertices);
  if (vertices == 0) return components;
  components.count = static_cast<int>(boost::connected_components(
      graph, boost::make_iterator_property_map(components.of.begin(), boost::get(boost::vertex_index, graph))));
  return components;
}

CutPoints cut_points(std::uint32_t vertices, std::span<const Edge> edges) {
  CutPoints found;
  if (edges.empty()) return found;
  const Graph graph = build_graph(vertices, edges);
  std::vector<std::uint32_t> block(edges.size());
  const std::size_t blocks =
      boost::biconnected_components(graph, boost::make_iterator_property_map(block.begin(), boost::get(boost::edge_index, graph)),
                                    std::back_inserter(found.vertices))
          .first;
  std::ranges::sort(found.vertices);
  // A bridge is a biconnected component of one edge.
  std::vector<std::uint32_t> size(blocks, 0);
  for (const std::uint32_t b : block) ++size[b];
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    if (size[block[i]] == 1) found.edges.push_back(i);
  return found;
}

}  // namespace rackwright::topologies
