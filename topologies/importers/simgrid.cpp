#include "topologies/importers/simgrid.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "topologies/graph/attributes.h"
#include "topologies/importers/route_graph.h"
#include "topologies/importers/simgrid_cluster.h"
#include "topologies/importers/simgrid_units.h"
#include "topologies/importers/xml_element.h"

namespace rackwright::topologies {

namespace {

constexpr std::size_t most_vertices = 1'000'000;

/// What this program's own export says about vertices and cables; see export_simgrid.
constexpr std::string_view own_prefix = "rackwright:";

bool is_zone(const XmlElement& element) { return element.name == "zone" || element.name == "AS"; }
bool is_route(const XmlElement& element) { return element.name == "route" || element.name == "bypassRoute"; }
bool is_zone_route(const XmlElement& element) {
  return element.name == "zoneRoute" || element.name == "ASroute" || element.name == "bypassZoneRoute" || element.name == "bypassASroute";
}

class Platform {
 public:
  explicit Platform(ImportReport& report) : report_(report) {}

  Topology build(const XmlElement& root) {
    for (const XmlElement& element : root.children) {
      if (is_zone(element)) declare(element);
      // A platform may be one cluster, without a zone around it.
      if (element.name == "cluster") add_simgrid_cluster(builder_, element, report_);
    }
    for (const XmlElement& element : root.children) {
      if (is_zone(element)) connect(element);
      if (element.name == "include") leave_out(element);
    }
    graph_.connect();
    if (graph_.shared_links() > 0)
      report_.note(0, 0, fmt::format("{} links have more than two ends and become shared media", graph_.shared_links()));
    if (one_capacity_ > 0)
      report_.note(0, 0, fmt::format("{} links share one bandwidth between both directions in SimGrid; here each direction has it", one_capacity_));
    if (fatpipes_ > 0) report_.note(0, 0, fmt::format("{} FATPIPE links, which flows do not share in SimGrid, are shared here", fatpipes_));
    return builder_.build();
  }

 private:
  /// Hosts, routers, links and clusters of a zone and those inside it; routes may name what comes later.
  void declare(const XmlElement& zone) {
    for (const XmlElement& element : zone.children) {
      if (builder_.vertex_count() > most_vertices) return report_.error(element.line, element.column, fmt::format("more than {} vertices", most_vertices));
      if (is_zone(element))
        declare(element);
      else if (element.name == "host")
        declare_vertex(element, VertexKind::host);
      else if (element.name == "router")
        declare_vertex(element, VertexKind::network_switch);
      else if (element.name == "link" || element.name == "backbone")
        declare_link(element);
      else if (element.name == "cluster")
        add_simgrid_cluster(builder_, element, report_);
      else if (element.name == "prop" && element.get("id").starts_with(own_prefix))
        own_.push_back(&element);
      else if (element.name == "include" || element.name == "random")
        leave_out(element);
    }
    apply_own();
  }

  void declare_vertex(const XmlElement& element, VertexKind kind) {
    const std::string name(element.get("id"));
    if (name.empty() || builder_.has(name))
      return report_.error(element.line, element.column, name.empty() ? fmt::format("a {} without id", element.name) : fmt::format("a second '{}'", name));
    add_simgrid_vertex(builder_, name, kind, {});
  }

  void declare_link(const XmlElement& element) {
    const std::string name(element.get("id"));
    const auto bandwidth = simgrid_bandwidth(element.get("bandwidth"));
    const auto latency = simgrid_time(element.get("latency", "0"));
    if (!bandwidth || !latency)
      return report_.error(element.line, element.column,
                           fmt::format("bandwidth '{}' or latency '{}' of link '{}' is not understood", element.get("bandwidth"), element.get("latency"), name),
                           "such as 125MBps or 1Gbps, 50us or 0");
    if (name.empty() || links_.contains(name))
      return report_.error(element.line, element.column, name.empty() ? "a link without id" : fmt::format("a second link '{}'", name));
    if (connect_own(element)) return;
    const std::string_view policy = element.get("sharing_policy", "SHARED");
    one_capacity_ += policy == "SHARED";
    fatpipes_ += policy == "FATPIPE";
    links_.emplace(name, graph_.add_link({name, {*bandwidth, *latency, LinkKind::other, Cable::unknown}}));
  }

  /// A link that the export of this program wrote says itself which cable it is.
  bool connect_own(const XmlElement& element) {
    Attributes attributes;
    for (const XmlElement& prop : element.children)
      if (prop.name == "prop" && prop.get("id").starts_with(own_prefix))
        attributes.emplace(prop.get("id").substr(own_prefix.size()), prop.get("value"));
    if (attributes.empty()) return false;
    own_links_.insert(std::string(element.get("id")));
    const auto from = builder_.find(value(attributes, "from"));
    const auto to = builder_.find(value(attributes, "to"));
    if (value(attributes, "from").empty()) return true;  // The way back of a cable that is there already.
    if (!from || !to || *from == *to) {
      report_.error(element.line, element.column, fmt::format("link '{}' joins '{}' and '{}', which are not two known vertices", element.get("id"),
                                                              value(attributes, "from"), value(attributes, "to")));
      return true;
    }
    const CableDescription cable = cable_description(attributes, {});
    builder_.connect_asymmetric(*from, *to, cable.spec, cable.back_bandwidth, cable.ports);
    return true;
  }

  /// Zone properties "rackwright:ATTRIBUTE:VERTEX".
  void apply_own() {
    for (const XmlElement* prop : own_) {
      const std::string_view rest = prop->get("id").substr(own_prefix.size());
      const std::size_t colon = rest.find(':');
      const std::string attribute(rest.substr(0, colon));
      if (colon == std::string_view::npos) {
        if (attribute != "grids" || !add_grids(prop->get("value"), builder_)) report_.warning(prop->line, prop->column, fmt::format("'{}' is not understood", prop->get("id")));
        continue;
      }
      const auto vertex = builder_.find(rest.substr(colon + 1));
      if (!vertex)
        report_.warning(prop->line, prop->column, fmt::format("no vertex is called '{}'", rest.substr(colon + 1)));
      else
        apply({{attribute, std::string(prop->get("value"))}}, builder_, builder_[*vertex]);
    }
    own_.clear();
  }

  void connect(const XmlElement& zone) {
    const bool by_pattern = zone.get("routing") == "RuleBased";
    for (const XmlElement& element : zone.children) {
      if (is_zone(element))
        connect(element);
      else if (by_pattern && (is_route(element) || is_zone_route(element)))
        leave_out(element);
      else if (is_route(element))
        add_route(element, "src", "dst");
      else if (is_zone_route(element))
        add_route(element, "gw_src", "gw_dst");
      else if (element.name == "cabinet")
        add_cabinet(element, zone);
      else if (element.name == "host_link")
        add_host_link(element, zone);
      else if (element.name == "peer")
        add_peer(element, zone);
    }
  }

  void leave_out(const XmlElement& element) {
    report_.warning(element.line, element.column,
                    element.name == "include" || element.name == "random" ? fmt::format("<{}> is not read", element.name)
                                                                          : std::string("a route between patterns (RuleBased) is not read"));
  }

  void add_route(const XmlElement& element, std::string_view source, std::string_view target) {
    const auto from = builder_.find(element.get(source));
    const auto to = builder_.find(element.get(target));
    if (!from || !to)
      return report_.warning(element.line, element.column,
                             fmt::format("no host or router is called '{}'", element.get(!from ? source : target)), "the route is left out");
    if (*from == *to) return;  // A loopback.
    std::vector<std::uint32_t> over;
    for (const XmlElement& hop : element.children) {
      if (hop.name != "link_ctn" && hop.name != "ctn") continue;
      const std::string name(hop.get("id"));
      if (own_links_.contains(name)) return;
      const auto link = links_.find(name);
      if (link == links_.end()) return report_.warning(hop.line, hop.column, fmt::format("no link is called '{}'", name), "the route is left out");
      over.push_back(link->second);
    }
    if (over.empty()) return report_.warning(element.line, element.column, "a route over no link is left out");
    const std::string_view symmetrical = element.get("symmetrical", "YES");
    const bool one_way = symmetrical == "NO" || symmetrical == "no" || symmetrical == "false";
    graph_.add_route(*from, *to, over, one_way ? RouteGraph::Direction::there : RouteGraph::Direction::both_ways);
  }

  /// Where the hosts of a Cluster zone meet: its router, or a vertex made for it; with a <backbone>, on both sides of that.
  struct Centre {
    VertexIndex in;
    VertexIndex out;
  };
  Centre centre_of(const XmlElement& zone) {
    const auto known = centres_.find(&zone);
    if (known != centres_.end()) return known->second;
    const auto element = [&](std::string_view name) {
      const auto place = std::ranges::find(zone.children, name, &XmlElement::name);
      return place == zone.children.end() ? nullptr : &*place;
    };
    const std::string id(zone.get("id"));
    const XmlElement* router = element("router");
    const XmlElement* backbone = element("backbone");
    const auto found = router == nullptr ? std::nullopt : builder_.find(router->get("id"));
    const auto make = [&](std::string_view what) {
      return add_simgrid_vertex(builder_, builder_.unique_name(id + std::string(what)), VertexKind::network_switch, id);
    };
    Centre centre;
    const auto link = backbone == nullptr ? links_.end() : links_.find(std::string(backbone->get("id")));
    if (link == links_.end()) {
      centre.in = centre.out = found ? *found : make(" centre");
    } else {
      centre = {make(" backbone in"), make(" backbone out")};
      const LinkSpec spec = graph_.link(link->second).spec;
      builder_.connect_asymmetric(centre.in, centre.out, spec, 0);
      if (found) {
        builder_.connect_asymmetric(*found, centre.in, {spec.bandwidth}, 0);
        builder_.connect_asymmetric(centre.out, *found, {spec.bandwidth}, 0);
      }
    }
    return centres_.emplace(&zone, centre).first->second;
  }

  void join_centre(const XmlElement& zone, VertexIndex host, const LinkSpec& up, const LinkSpec& down) {
    const Centre centre = centre_of(zone);
    if (host == centre.in || host == centre.out) return;
    if (centre.in == centre.out) {
      builder_.connect_asymmetric(host, centre.in, up, down.bandwidth);
    } else {
      builder_.connect_asymmetric(host, centre.in, up, 0);
      builder_.connect_asymmetric(centre.out, host, down, 0);
    }
  }

  void add_cabinet(const XmlElement& element, const XmlElement& zone) {
    const auto names = simgrid_host_names(element, report_);
    const auto bandwidth = simgrid_bandwidth(element.get("bw"));
    const auto latency = simgrid_time(element.get("lat", "0"));
    if (!names) return;
    if (!bandwidth || !latency)
      return report_.error(element.line, element.column, fmt::format("bw '{}' or lat '{}' is not understood", element.get("bw"), element.get("lat")));
    for (const std::string& name : *names) {
      if (builder_.has(name)) return report_.error(element.line, element.column, fmt::format("a second host '{}'", name));
      const LinkSpec spec{*bandwidth, *latency, LinkKind::other, Cable::unknown};
      join_centre(zone, add_simgrid_vertex(builder_, name, VertexKind::host, element.get("id")), spec, spec);
    }
  }

  /// A link that several hosts use up and down is one medium; a host's own one is a cable to the centre.
  void add_host_link(const XmlElement& element, const XmlElement& zone) {
    const auto host = builder_.find(element.get("id"));
    const auto up = links_.find(std::string(element.get("up")));
    const auto down = links_.find(std::string(element.get("down")));
    if (!host || up == links_.end() || down == links_.end())
      return report_.warning(element.line, element.column, fmt::format("host_link '{}' names an unknown host or link", element.get("id")), "it is left out");
    const Centre centre = centre_of(zone);
    if (*host == centre.in || *host == centre.out) return;
    if (up->second == down->second && centre.in == centre.out) {
      graph_.add_route(*host, centre.in, {up->second}, RouteGraph::Direction::both_ways);
    } else {
      graph_.add_route(*host, centre.in, {up->second}, RouteGraph::Direction::there);
      graph_.add_route(centre.out, *host, {down->second}, RouteGraph::Direction::there);
    }
  }

  void add_peer(const XmlElement& element, const XmlElement& zone) {
    const std::string name(element.get("id"));
    const auto in = simgrid_bandwidth(element.get("bw_in"));
    const auto out = simgrid_bandwidth(element.get("bw_out"));
    const auto latency = simgrid_time(element.get("lat", "0"));
    if (name.empty() || builder_.has(name) || !in || !out || !latency)
      return report_.error(element.line, element.column, fmt::format("peer '{}' has no new name or no understandable bw_in, bw_out or lat", name));
    join_centre(zone, add_simgrid_vertex(builder_, name, VertexKind::host, {}), {*out, *latency}, {*in, *latency});
  }

  ImportReport& report_;
  TopologyBuilder builder_;
  RouteGraph graph_{builder_};
  std::unordered_map<std::string, std::uint32_t> links_;
  std::set<std::string> own_links_;
  std::vector<const XmlElement*> own_;
  std::unordered_map<const XmlElement*, Centre> centres_;
  int one_capacity_ = 0;
  int fatpipes_ = 0;
};

}  // namespace

std::optional<Topology> import_simgrid(std::string_view text, std::string_view file, Diagnostics& diagnostics) {
  ImportReport report(file, diagnostics);
  const std::optional<XmlElement> root = parse_xml(text, report);
  if (!root) return std::nullopt;
  if (root->name != "platform") {
    report.error(root->line, root->column, fmt::format("<{}> is not a SimGrid platform", root->name),
                 root->name == "platform_description" ? "version 1 or 2 of the format; simgrid_update_xml converts it" : "expected <platform>");
    return std::nullopt;
  }
  const std::string_view version = root->get("version");
  if (!version.starts_with('3') && !version.starts_with('4'))
    report.warning(root->line, root->column, fmt::format("version '{}' of the format is not known", version), "read as 4.1");
  Topology topology = Platform(report).build(*root);
  if (topology.vertex_count() == 0 && !report.has_errors()) report.error(root->line, root->column, "the platform has no hosts");
  if (report.has_errors()) return std::nullopt;
  return topology;
}

}  // namespace rackwright::topologies
