#pragma once

#include <string>
#include <string_view>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// GraphML with every property of vertices, cables and grids; import_graphml gives the same topology back.
std::string export_graphml(const Topology& topology);

/// A SimGrid 4.1 platform of one zone with shortest-path (Floyd) routing, which SimGrid loads: hosts and routers, a SPLITDUPLEX
/// link for each cable (two one-way ones where the directions differ) and a route over it. Of parallel cables only the first
/// has a route, as Floyd allows. What SimGrid has no words for stands in properties, so that import_simgrid gives the same
/// topology back.
std::string export_simgrid(const Topology& topology);

/// A Graphviz graph for drawing: one edge for each cable, hosts as clusters.
std::string export_dot(const Topology& topology);

/// `text` for an attribute or content of XML; characters that XML 1.0 cannot hold become U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace rackwright::topologies
