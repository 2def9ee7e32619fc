#include <array>

#include <fmt/format.h>

#include "topologies/exporters/exporters.h"
#include "topologies/graph/attributes.h"

namespace rackwright::topologies {

namespace {

struct Key {
  std::string_view name;
  std::string_view type;
};
constexpr std::array<Key, 12> node_keys{{{"name", "string"},
                                         {"kind", "string"},
                                         {"forwarding", "string"},
                                         {"tier", "int"},
                                         {"reduces", "boolean"},
                                         {"ports", "int"},
                                         {"host", "string"},
                                         {"rack", "string"},
                                         {"pod", "string"},
                                         {"rail", "string"},
                                         {"plane", "string"},
                                         {"island", "string"}}};
constexpr std::array<Key, 8> edge_keys{{{"bandwidth_Bps", "double"},
                                        {"back_bandwidth_Bps", "double"},
                                        {"latency_s", "double"},
                                        {"link_kind", "string"},
                                        {"cable", "string"},
                                        {"lanes", "int"},
                                        {"from_port", "int"},
                                        {"to_port", "int"}}};

void write_data(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format("      <data key=\"{}\">{}</data>\n", key, xml_escaped(value));
}

}  // namespace

std::string export_graphml(const Topology& topology) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "  <key id=\"grids\" for=\"graph\" attr.name=\"grids\" attr.type=\"string\"/>\n";
  for (const Key& key : node_keys)
    out += fmt::format("  <key id=\"node_{0}\" for=\"node\" attr.name=\"{0}\" attr.type=\"{1}\"/>\n", key.name, key.type);
  for (const Key& key : edge_keys)
    out += fmt::format("  <key id=\"edge_{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"{1}\"/>\n", key.name, key.type);
  out += "  <graph edgedefault=\"undirected\">\n";
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i) {
    out += fmt::format("    <node id=\"n{}\">\n", i);
    write_data(out, "node_name", topology.vertices()[i].name);
    for (const auto& [name, text] : vertex_attributes(topology, {i})) write_data(out, "node_" + name, text);
    out += "    </node>\n";
  }
  for (std::uint32_t i = 0; i < topology.links().size(); i += 2) {
    const Link& link = topology.links()[i];
    out += fmt::format("    <edge source=\"n{}\" target=\"n{}\">\n", link.from.value, link.to.value);
    for (const auto& [name, text] : cable_attributes(topology, {i})) write_data(out, "edge_" + name, text);
    out += "    </edge>\n";
  }
  // Behind the nodes that it counts.
  if (!topology.grids().empty()) out += fmt::format("    <data key=\"grids\">{}</data>\n", grids_text(topology));
  out += "  </graph>\n</graphml>\n";
  return out;
}

}  // namespace rackwright::topologies
