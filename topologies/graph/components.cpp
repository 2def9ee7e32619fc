#include "topologies/graph/components.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/connected_components.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

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
  // Boost's search takes a parallel edge for the one it came by, so it is given each pair of ends once.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> between;
  for (std::uint32_t i = 0; i < edges.size(); ++i) between[std::minmax(edges[i].a, edges[i].b)].push_back(i);
  std::vector<Edge> simple;
  for (const auto& [ends, members] : between) simple.push_back({ends.first, ends.second});

  const Graph graph = build_graph(vertices, simple);
  std::vector<std::uint32_t> block(simple.size());
  const std::size_t blocks =
      boost::biconnected_components(graph, boost::make_iterator_property_map(block.begin(), boost::get(boost::edge_index, graph)),
                                    std::back_inserter(found.vertices))
          .first;
  std::ranges::sort(found.vertices);
  // A bridge is a biconnected component of one edge.
  std::vector<std::uint32_t> size(blocks, 0);
  for (const std::uint32_t b : block) ++size[b];
  std::size_t i = 0;
  for (const auto& [ends, members] : between)
    if (size[block[i++]] == 1 && members.size() == 1) found.edges.push_back(members.front());
  std::ranges::sort(found.edges);
  return found;
}

}  // namespace rackwright::topologies
