#pragma once

#include <optional>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// What a GraphML file often does not say.
struct GraphmlParameters {
  double default_bandwidth = 1.25e9;  ///< B/s per direction of an edge without one: 10 Gb/s, assumed.
};

/// Reads GraphML: keys by attr.name (their ids differ from file to file) and defaults, multi-edges, disconnected graphs,
/// directed and undirected edges, nested graphs. Opposite directed edges become one cable. A self-loop is left out with a warning.
///
/// Nodes: what export_graphml writes, else `label` names them. Edges: what export_graphml writes; LinkSpeedRaw in bit/s;
/// LinkSpeed in bit/s times its LinkSpeedUnits (K, M, G, T); `bandwidth` or `capacity`, and `latency` or `delay`, with a unit in
/// the text ("40 Gb/s", "5 us"). A number without a unit says nothing and is reported.
std::optional<Topology> import_graphml(std::string_view text, std::string_view file, const GraphmlParameters& parameters,
                                       Diagnostics& diagnostics);

}  // namespace rackwright::topologies
