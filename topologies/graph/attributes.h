#pragma once

#include <map>
#include <string>
#include <string_view>

#include "topologies/graph/topology_builder.h"

namespace rackwright::topologies {

/// Vertices and cables as named texts, which exporters write and importers read back without loss.
using Attributes = std::map<std::string, std::string, std::less<>>;

/// The value, or "" where there is none.
std::string_view value(const Attributes& attributes, std::string_view name);

/// kind, forwarding, tier, reduces, ports, and the name of each domain by its kind. What a default Vertex has is left out.
Attributes vertex_attributes(const Topology& topology, VertexIndex vertex);
/// Sets what `attributes` say and leaves the rest of `vertex`. Texts that mean nothing are passed over.
void apply(const Attributes& attributes, TopologyBuilder& builder, Vertex& vertex);

/// bandwidth_Bps, back_bandwidth_Bps, latency_s, link_kind, cable, lanes, from_port, to_port, seen along `link`.
Attributes cable_attributes(const Topology& topology, LinkIndex link);
struct CableDescription {
  LinkSpec spec;
  double back_bandwidth = 0;
  Ports ports;
};
/// The opposite of cable_attributes; `fallback` holds for what they leave out.
CableDescription cable_description(const Attributes& attributes, const LinkSpec& fallback);

/// All grids in one line, "FIRST X Y Z WRAPSX WRAPSY WRAPSZ; …", and back. Grids that do not fit the vertices of
/// `builder` are not added; false then.
std::string grids_text(const Topology& topology);
bool add_grids(std::string_view text, TopologyBuilder& builder);

}  // namespace rackwright::topologies
