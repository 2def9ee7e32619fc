#include "topologies/graph/max_flow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::topologies {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using EdgeProperties =
    boost::property<boost::edge_capacity_t, double,
                    boost::property<boost::edge_residual_capacity_t, double,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using VertexProperties =
    boost::property<boost::vertex_color_t, boost::default_color_type,
                    boost::property<boost::vertex_distance_t, long,
                                    boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexProperties, EdgeProperties>;

void add_arc(Graph& graph, std::uint32_t from, std::uint32_t to, double capacity, double back) {
  const auto there = boost::add_edge(from, to, graph).first;
  const auto reverse = boost::add_edge(to, from, graph).first;
  boost::put(boost::edge_capacity, graph, there, capacity);
  boost::put(boost::edge_capacity, graph, reverse, back);
  boost::put(boost::edge_reverse, graph, there, reverse);
  boost::put(boost::edge_reverse, graph, reverse, there);
}

}  // namespace

void FlowNetwork::add_edge(std::uint32_t from, std::uint32_t to, double capacity, double back) {
  invariant(from < vertices_ && to < vertices_ && from != to, "an edge joins two vertices of the network");
  arcs_.push_back({from, to, capacity, back});
}

FlowNetwork::Cut FlowNetwork::min_cut(std::span<const std::uint32_t> sources, std::span<const std::uint32_t> sinks) const {
  invariant(!sources.empty() && !sinks.empty(), "a cut has two sides");
  // All sources are one vertex and all sinks another, which is the same as joining them without limit.
  const std::uint32_t source = sources.front();
  const std::uint32_t sink = sinks.front();
  std::vector<std::uint32_t> stands_for(vertices_);
  for (std::uint32_t v = 0; v < vertices_; ++v) stands_for[v] = v;
  for (const std::uint32_t v : sources) stands_for[v] = source;
  for (const std::uint32_t v : sinks) {
    invariant(stands_for[v] != source, "the two sides of a cut are disjoint");
    stands_for[v] = sink;
  }

  // Parallel edges are one with their sum: a fabric has thousands between a set of hosts and a leaf.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> between;
  for (const Arc& arc : arcs_) {
    const std::uint32_t from = stands_for[arc.from];
    const std::uint32_t to = stands_for[arc.to];
    if (from == to) continue;
    auto& [there, back] = between[std::minmax(from, to)];
    there += from < to ? arc.capacity : arc.back;
    back += from < to ? arc.back : arc.capacity;
  }
  Graph graph(vertices_);
  for (const auto& [ends, capacity] : between) add_arc(graph, ends.first, ends.second, capacity.first, capacity.second);
  Cut cut;
  cut.capacity = boost::boykov_kolmogorov_max_flow(graph, source, sink);
  const auto color = boost::get(boost::vertex_color, graph);
  // The search tree of the source keeps one colour; grey or black, as the implementation has it.
  const auto source_color = color[source];
  cut.source_side.resize(vertices_);
  for (std::uint32_t v = 0; v < vertices_; ++v) cut.source_side[v] = color[stands_for[v]] == source_color;
  return cut;
}

}  // namespace rackwright::topologies
