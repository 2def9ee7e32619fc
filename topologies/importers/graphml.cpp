#include "topologies/importers/graphml.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "models/base/quantity.h"
#include "topologies/graph/attributes.h"
#include "topologies/importers/text_lines.h"
#include "topologies/importers/xml_element.h"

namespace rackwright::topologies {

namespace {

/// Bits per second of LinkSpeed for a LinkSpeedUnits; 0 if unknown.
double speed_unit(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units{{{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
  for (const auto& [unit, bits] : units)
    if (name == unit) return bits;
  return 0;
}

/// The text of the first element of this name at any depth: yEd hides labels in its own elements.
std::string_view text_inside(const XmlElement& element, std::string_view name) {
  for (const XmlElement& inside : element.children) {
    if (inside.name == name) return trimmed(inside.text);
    if (const std::string_view found = text_inside(inside, name); !found.empty()) return found;
  }
  return {};
}

class GraphmlTopology {
 public:
  GraphmlTopology(const GraphmlParameters& parameters, ImportReport& report) : p_(parameters), report_(report) {}

  Topology build(const XmlElement& root) {
    for (const XmlElement& element : root.children)
      if (element.name == "key") add_key(element);
    for (const XmlElement& element : root.children)
      if (element.name == "graph") add_nodes(element);
    for (const XmlElement& element : root.children)
      if (element.name == "graph") add_edges(element);
    finish_directed();
    if (without_bandwidth_ > 0)
      report_.warning(0, 0, fmt::format("{} of {} edges have no bandwidth", without_bandwidth_, edges_),
                      fmt::format("taken as {}", format_quantity(p_.default_bandwidth, "B/s")));
    return builder_.build();
  }

 private:
  /// The data of one node, edge or graph by attribute name, with the defaults of its keys behind them.
  struct Data {
    Attributes own;
    const Attributes* defaults;
    std::string_view operator[](std::string_view name) const {
      const std::string_view found = value(own, name);
      return found.empty() ? value(*defaults, name) : found;
    }
  };

  void add_key(const XmlElement& element) {
    // Some writers leave attr.name out.
    const std::string name(element.get("attr.name", element.get("id")));
    if (!keys_.emplace(element.get("id"), name).second) {
      report_.warning(element.line, element.column, fmt::format("a second key '{}'", element.get("id")));
      return;
    }
    const std::string_view of = element.get("for", "all");
    for (const XmlElement& inside : element.children)
      if (inside.name == "default")
        for (const std::string_view target : {"node", "edge"})
          if (of == target || of == "all") defaults_[std::string(target)][name] = inside.text;
  }

  Data data_of(const XmlElement& element) {
    Data data{{}, &defaults_[element.name]};
    for (const XmlElement& inside : element.children) {
      if (inside.name != "data") continue;
      const auto key = keys_.find(inside.get("key"));
      if (key == keys_.end()) {
        report_.warning(inside.line, inside.column, fmt::format("no key is called '{}'", inside.get("key")));
        continue;
      }
      // Names keep their blanks.
      data.own[key->second] = inside.text;
      if (const std::string_view label = text_inside(inside, "NodeLabel"); !label.empty()) data.own["label"] = label;
    }
    return data;
  }

  void add_nodes(const XmlElement& graph) {
    for (const XmlElement& element : graph.children) {
      if (element.name == "hyperedge") report_.warning(element.line, element.column, "a hyperedge is left out");
      if (element.name != "node") continue;
      const std::string id(element.get("id"));
      if (id.empty() || by_id_.contains(id)) {
        report_.error(element.line, element.column, id.empty() ? "a node without id" : fmt::format("a second node '{}'", id));
        continue;
      }
      const Data data = data_of(element);
      Vertex vertex;
      const std::string_view name = data["name"];
      const std::string_view label = trimmed(data["label"]);
      vertex.name = builder_.unique_name(!name.empty() ? name : !label.empty() ? label : std::string_view(id));
      apply(*data.defaults, builder_, vertex);
      apply(data.own, builder_, vertex);
      by_id_.emplace(id, builder_.add(std::move(vertex)));
      for (const XmlElement& inside : element.children)
        if (inside.name == "graph") add_nodes(inside);
    }
    if (!add_grids(data_of(graph)["grids"], builder_)) report_.warning(graph.line, graph.column, "a grid does not fit the nodes and is left out");
  }

  void add_edges(const XmlElement& graph) {
    const bool directed_by_default = graph.get("edgedefault") == "directed";
    for (const XmlElement& element : graph.children) {
      if (element.name == "edge") add_edge(element, directed_by_default);
      if (element.name != "node") continue;
      for (const XmlElement& inside : element.children)
        if (inside.name == "graph") add_edges(inside);
    }
  }

  void add_edge(const XmlElement& element, bool directed_by_default) {
    const auto from = end_of(element, "source");
    const auto to = end_of(element, "target");
    if (!from || !to) return;
    if (*from == *to) {
      report_.warning(element.line, element.column, fmt::format("an edge from '{}' to itself is left out", element.get("source")));
      return;
    }
    const Data data = data_of(element);
    const CableDescription cable = describe(element, data);
    const std::string_view directed = element.get("directed");
    const bool is_directed = directed.empty() ? directed_by_default : directed == "true";
    if (is_directed && data["back_bandwidth_Bps"].empty())
      pair_directed(*from, *to, cable.spec);
    else
      builder_.connect_asymmetric(*from, *to, cable.spec, cable.back_bandwidth, cable.ports);
  }

  /// Keeps a directed edge until its opposite comes.
  void pair_directed(VertexIndex from, VertexIndex to, const LinkSpec& spec) {
    std::deque<LinkSpec>& opposite = waiting_[{to, from}];
    if (opposite.empty()) {
      waiting_[{from, to}].push_back(spec);
      order_.emplace_back(from, to);
      return;
    }
    LinkSpec first = opposite.front();
    opposite.pop_front();
    first.latency_s = std::max(first.latency_s, spec.latency_s);
    builder_.connect_asymmetric(to, from, first, spec.bandwidth);
  }

  /// What has no opposite carries one direction.
  void finish_directed() {
    for (const auto& [from, to] : order_) {
      std::deque<LinkSpec>& left = waiting_[{from, to}];
      if (left.empty()) continue;
      builder_.connect_asymmetric(from, to, left.front(), 0);
      left.pop_front();
    }
  }

  std::optional<VertexIndex> end_of(const XmlElement& element, std::string_view attribute) {
    const auto place = by_id_.find(std::string(element.get(attribute)));
    if (place != by_id_.end()) return place->second;
    report_.error(element.line, element.column, fmt::format("no node is called '{}'", element.get(attribute)), fmt::format("the edge's {}", attribute));
    return std::nullopt;
  }

  CableDescription describe(const XmlElement& element, const Data& data) {
    ++edges_;
    LinkSpec spec;
    const std::optional<double> bandwidth = other_bandwidth(element, data);
    if (!bandwidth && data["bandwidth_Bps"].empty()) ++without_bandwidth_;
    spec.bandwidth = bandwidth.value_or(p_.default_bandwidth);
    for (const std::string_view name : {"latency", "delay"})
      if (const auto latency = with_unit(element, name, data[name], "s")) spec.latency_s = *latency;
    for (const std::string_view name : {"bandwidth_Bps", "back_bandwidth_Bps", "latency_s"}) {
      const std::string_view text = data[name];
      if (const auto number = to_number(text); !text.empty() && (!number || *number < 0))
        report_.error(element.line, element.column, fmt::format("{} '{}' is not a number of at least 0", name, text));
    }
    Attributes known;
    for (const std::string_view name : {"bandwidth_Bps", "back_bandwidth_Bps", "latency_s", "link_kind", "cable", "lanes", "from_port", "to_port"})
      if (const std::string_view text = data[name]; !text.empty()) known.emplace(name, text);
    return cable_description(known, spec);
  }

  std::optional<double> other_bandwidth(const XmlElement& element, const Data& data) {
    if (const auto bits = to_number(data["LinkSpeedRaw"]); bits && *bits > 0) return *bits / 8;
    if (const auto speed = to_number(data["LinkSpeed"]); speed && *speed > 0) {
      if (const double unit = speed_unit(trimmed(data["LinkSpeedUnits"])); unit > 0) return *speed * unit / 8;
      report_.warning(element.line, element.column, fmt::format("LinkSpeedUnits '{}' is not K, M, G or T", data["LinkSpeedUnits"]));
    }
    for (const std::string_view name : {"bandwidth", "capacity"})
      if (const auto quantity = with_unit(element, name, data[name], "B/s"); quantity && *quantity > 0) return quantity;
    return std::nullopt;
  }

  std::optional<double> with_unit(const XmlElement& element, std::string_view name, std::string_view text, std::string_view dimension) {
    if (text.empty()) return std::nullopt;
    QuantityError error;
    const std::optional<double> quantity = parse_quantity(trimmed(text), dimension, error);
    if (quantity && *quantity >= 0) return quantity;
    report_.warning(element.line, element.column, fmt::format("{} '{}' is not used: {}", name, text, quantity ? "negative" : error.message), error.hint);
    return std::nullopt;
  }

  const GraphmlParameters& p_;
  ImportReport& report_;
  TopologyBuilder builder_;
  std::map<std::string, std::string, std::less<>> keys_;  ///< Attribute name by key id.
  std::map<std::string, Attributes> defaults_;            ///< By element.
  std::unordered_map<std::string, VertexIndex> by_id_;
  std::map<std::pair<VertexIndex, VertexIndex>, std::deque<LinkSpec>> waiting_;
  std::vector<std::pair<VertexIndex, VertexIndex>> order_;
  int edges_ = 0;
  int without_bandwidth_ = 0;
};

}  // namespace

std::optional<Topology> import_graphml(std::string_view text, std::string_view file, const GraphmlParameters& parameters,
                                       Diagnostics& diagnostics) {
  ImportReport report(file, diagnostics);
  const std::optional<XmlElement> root = parse_xml(text, report);
  if (!root) return std::nullopt;
  if (root->name != "graphml") {
    report.error(root->line, root->column, fmt::format("<{}> is not GraphML", root->name), "expected <graphml>");
    return std::nullopt;
  }
  Topology topology = GraphmlTopology(parameters, report).build(*root);
  if (topology.vertex_count() == 0 && !report.has_errors()) report.error(root->line, root->column, "the graph has no nodes");
  if (report.has_errors()) return std::nullopt;
  return topology;
}

}  // namespace rackwright::topologies
