#include <fmt/format.h>

#include "models/base/quantity.h"
#include "topologies/exporters/exporters.h"

namespace rackwright::topologies {

namespace {

/// A quoted string of the DOT language.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\r')
      out += ' ';
    else
      out += c;
  }
  return out + '"';
}

std::string_view shape(VertexKind kind) {
  switch (kind) {
    case VertexKind::accelerator: return "box";
    case VertexKind::processor: return "component";
    case VertexKind::nic: return "cds";
    case VertexKind::host: return "box3d";
    case VertexKind::pcie_switch: return "trapezium";
    case VertexKind::scale_up_switch: return "hexagon";
    case VertexKind::network_switch: return "octagon";
    case VertexKind::aggregation_node: return "triangle";
    case VertexKind::node: return "ellipse";
  }
  return "ellipse";
}

std::string node(const Topology& topology, VertexIndex index, std::string_view indent) {
  const Vertex& vertex = topology[index];
  return fmt::format("{}n{} [label={}, shape={}];\n", indent, index.value, quoted(vertex.name), shape(vertex.kind));
}

}  // namespace

std::string export_dot(const Topology& topology) {
  std::string out = "graph topology {\n  node [fontname=\"sans-serif\"];\n";
  for (std::uint32_t d = 0; d < topology.domains().size(); ++d) {
    const FailureDomain& domain = topology.domains()[d];
    if (domain.kind != DomainKind::host) continue;
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", d, quoted(domain.name));
    for (const VertexIndex vertex : topology.members({d})) out += node(topology, vertex, "    ");
    out += "  }\n";
  }
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i)
    if (topology.vertices()[i].in(DomainKind::host) == no_domain) out += node(topology, {i}, "  ");
  for (std::uint32_t i = 0; i < topology.links().size(); i += 2) {
    const Link& link = topology.links()[i];
    const double back = topology.links()[i + 1].bandwidth;
    std::string label = format_quantity(link.bandwidth, "B/s", 3);
    std::string_view ends = "dir=none";
    if (back == 0) ends = "dir=forward";
    if (link.bandwidth == 0) {
      label = format_quantity(back, "B/s", 3);
      ends = "dir=back";
    } else if (back != link.bandwidth && back != 0) {
      label += " / " + format_quantity(back, "B/s", 3);
    }
    out += fmt::format("  n{} -- n{} [label={}, {}];\n", link.from.value, link.to.value, quoted(label), ends);
  }
  return out + "}\n";
}

}  // namespace rackwright::topologies
