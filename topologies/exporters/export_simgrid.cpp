#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "topologies/exporters/exporters.h"
#include "topologies/graph/attributes.h"

namespace rackwright::topologies {

namespace {

/// SimGrid rejects a bandwidth of 0 and hosts without speed; nothing is computed on them here.
constexpr std::string_view any_speed = "1Gf";

bool is_router(const Vertex& vertex) {
  return vertex.kind == VertexKind::network_switch || vertex.kind == VertexKind::scale_up_switch || vertex.kind == VertexKind::pcie_switch;
}

class PlatformWriter {
 public:
  explicit PlatformWriter(const Topology& topology) : topology_(topology) {}

  std::string write() {
    out_ =
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n"
        "  <zone id=\"topology\" routing=\"Floyd\">\n";
    write_properties();
    for (const Vertex& vertex : topology_.vertices())
      out_ += is_router(vertex) ? fmt::format("    <router id=\"{}\"/>\n", xml_escaped(vertex.name))
                                : fmt::format("    <host id=\"{}\" speed=\"{}\"/>\n", xml_escaped(vertex.name), any_speed);
    for (std::uint32_t i = 0; i < topology_.links().size(); i += 2) write_cable({i});
    out_ += routes_ + "  </zone>\n</platform>\n";
    return std::move(out_);
  }

 private:
  void write_properties() {
    if (!topology_.grids().empty()) out_ += fmt::format("    <prop id=\"rackwright:grids\" value=\"{}\"/>\n", grids_text(topology_));
    for (std::uint32_t i = 0; i < topology_.vertex_count(); ++i) {
      const Vertex& vertex = topology_.vertices()[i];
      Attributes attributes = vertex_attributes(topology_, {i});
      // The element tells host from router; the kind of a plain node has to be said.
      attributes["kind"] = to_string(vertex.kind);
      for (const auto& [name, text] : attributes)
        out_ += fmt::format("    <prop id=\"rackwright:{}:{}\" value=\"{}\"/>\n", name, xml_escaped(vertex.name), xml_escaped(text));
    }
  }

  void write_cable(LinkIndex there) {
    const Link& link = topology_[there];
    const double back = topology_[reverse(there)].bandwidth;
    const bool has_route = routed_.insert(std::minmax(link.from, link.to)).second;
    Attributes attributes = cable_attributes(topology_, there);
    attributes["from"] = topology_[link.from].name;
    attributes["to"] = topology_[link.to].name;
    const std::string id = fmt::format("cable{}", there.value / 2);
    if (link.bandwidth == back && back > 0) {
      write_link(id, back, link.latency_s, "SPLITDUPLEX", attributes);
      if (has_route) write_routes(link, id, "UP", "DOWN");
      return;
    }
    // One that carries nothing is written only to be read back.
    write_link(id, link.bandwidth > 0 ? link.bandwidth : 1, link.latency_s, "SHARED", attributes);
    if (back > 0) write_link(id + "-back", back, link.latency_s, "SHARED", {{"back_of", id}});
    if (has_route && link.bandwidth > 0) write_route(link.from, link.to, id, {});
    if (has_route && back > 0) write_route(link.to, link.from, id + "-back", {});
  }

  void write_link(const std::string& id, double bandwidth, double latency_s, std::string_view policy, const Attributes& attributes) {
    out_ += fmt::format("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"{}\">\n", id, bandwidth, latency_s, policy);
    for (const auto& [name, text] : attributes) out_ += fmt::format("      <prop id=\"rackwright:{}\" value=\"{}\"/>\n", name, xml_escaped(text));
    out_ += "    </link>\n";
  }

  void write_routes(const Link& link, const std::string& id, std::string_view there, std::string_view back) {
    write_route(link.from, link.to, id, there);
    write_route(link.to, link.from, id, back);
  }

  void write_route(VertexIndex from, VertexIndex to, const std::string& id, std::string_view direction) {
    routes_ += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"{}\"", xml_escaped(topology_[from].name),
                           xml_escaped(topology_[to].name), id);
    if (!direction.empty()) routes_ += fmt::format(" direction=\"{}\"", direction);
    routes_ += "/></route>\n";
  }

  const Topology& topology_;
  std::string out_;
  std::string routes_;
  std::set<std::pair<VertexIndex, VertexIndex>> routed_;
};

}  // namespace

std::string export_simgrid(const Topology& topology) { return PlatformWriter(topology).write(); }

}  // namespace rackwright::topologies
