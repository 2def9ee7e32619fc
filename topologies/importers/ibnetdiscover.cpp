#include "topologies/importers/ibnetdiscover.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "models/base/quantity.h"
#include "topologies/graph/topology_builder.h"
#include "topologies/importers/ib_fabric.h"
#include "topologies/importers/text_lines.h"

namespace rackwright::topologies {

namespace {

constexpr long sharp_device_id = 0xcf09;  ///< "Mellanox Technologies Aggregation Node".

bool is_aggregation_node(const IbNode& node) {
  return node.type == 'H' && (node.device_id == sharp_device_id || node.description.find("Aggregation Node") != std::string::npos);
}

/// "MF0;A09-P1-IBLEAF-04-04:MQM9701/U1" is A09-P1-IBLEAF-04-04; anything else stays.
std::string_view system_name(std::string_view description) {
  const std::size_t semicolon = description.find(';');
  const std::size_t colon = description.find(':', semicolon == std::string_view::npos ? 0 : semicolon);
  if (semicolon == std::string_view::npos || colon == std::string_view::npos || colon < semicolon + 2) return description;
  return description.substr(semicolon + 1, colon - semicolon - 1);
}

/// "node7 mlx5_3" names a host and an adapter; "MT4129 ConnectX7   Mellanox Technologies" does not.
struct AdapterName {
  std::string host;
  std::string adapter;
};
std::optional<AdapterName> adapter_name(std::string_view description) {
  const std::vector<Word> words = split_words(description);
  if (words.size() != 2) return std::nullopt;
  const std::string& adapter = words[1].text;
  if (!adapter.starts_with("HCA") && !adapter.starts_with("mlx") && !adapter.starts_with("ib")) return std::nullopt;
  return AdapterName{words[0].text, adapter};
}

class FabricTopology {
 public:
  FabricTopology(std::vector<IbNode> nodes, const IbnetdiscoverParameters& parameters, ImportReport& report)
      : nodes_(std::move(nodes)), p_(parameters), report_(report) {}

  Topology build() {
    add_nodes();
    name_hosts();
    for (const IbNode& node : nodes_)
      for (const IbPort& port : node.ports)
        if (!ends_.try_emplace({node.id, port.number}, &port).second)
          report_.error(port.line, 1, fmt::format("port {} of '{}' is connected twice", port.number, node.id));
    for (const IbNode& node : nodes_)
      for (const IbPort& port : node.ports) add_cable(node, port);
    if (without_speed_ > 0)
      report_.warning(0, 0, fmt::format("{} cables have no width and speed such as 4xNDR", without_speed_), fmt::format("taken as {}", format_quantity(p_.default_bandwidth, "B/s")));
    mark_reducing_switches();
    infer_tiers();
    return builder_.build();
  }

 private:
  void add_nodes() {
    std::unordered_map<std::string, int> uses;
    for (const IbNode& node : nodes_) ++uses[node.description];
    std::vector<IbNode> kept;
    for (IbNode& node : nodes_) {
      if (by_id_.contains(node.id)) {
        report_.error(node.line, 1, fmt::format("a second block for '{}'", node.id));
        continue;
      }
      const std::string_view name = node.type == 'S' ? system_name(node.description) : std::string_view(node.description);
      std::string unique = node.description.empty() || uses[node.description] > 1 ? std::string(trimmed(fmt::format("{} {}", name, node.id))) : std::string(name);
      add_vertex(node.id, std::move(unique), node.type, is_aggregation_node(node), node.port_count);
      kept.push_back(std::move(node));
    }
    nodes_ = std::move(kept);
  }

  void add_vertex(const std::string& id, std::string name, char type, bool aggregates, int ports) {
    Vertex vertex;
    vertex.name = builder_.unique_name(name);
    vertex.ports = static_cast<std::uint16_t>(std::clamp(ports, 0, 65535));
    if (type != 'H') {
      vertex.kind = VertexKind::network_switch;
      vertex.forwarding = Forwarding::always;
    } else {
      vertex.kind = aggregates ? VertexKind::aggregation_node : VertexKind::nic;
      vertex.forwarding = aggregates ? Forwarding::never : Forwarding::within_host;
    }
    by_id_.emplace(id, builder_.add(std::move(vertex)));
  }

  void name_hosts() {
    std::map<std::pair<std::string, std::string>, int> claims;
    for (const IbNode& node : nodes_)
      if (const auto name = adapter_name(node.description); name && node.type == 'H') ++claims[{name->host, name->adapter}];
    for (const IbNode& node : nodes_) {
      const auto name = adapter_name(node.description);
      if (!name || node.type != 'H' || is_aggregation_node(node)) continue;
      if (claims[{name->host, name->adapter}] > 1) {
        report_.warning(node.line, 1, fmt::format("several adapters are called '{}'", node.description), "their host is left open");
        continue;
      }
      Vertex& vertex = builder_[by_id_.at(node.id)];
      vertex.in(DomainKind::host) = builder_.domain(DomainKind::host, name->host);
      vertex.in(DomainKind::rail) = builder_.domain(DomainKind::rail, name->adapter);
    }
  }

  /// Adds a cable at the first of its two ends.
  void add_cable(const IbNode& node, const IbPort& port) {
    const auto peer = ends_.find({port.peer, port.peer_port});
    if (peer == ends_.end()) {
      if (by_id_.contains(port.peer))
        report_.warning(port.line, 1, fmt::format("'{}' does not list this cable at its port {}", port.peer, port.peer_port));
      connect(node, port, port.bandwidth);
      return;
    }
    const IbPort& other = *peer->second;
    if (other.peer != node.id || other.peer_port != port.number) {
      report_.warning(port.line, 1, fmt::format("'{}' port {} says it is connected to '{}' port {}", port.peer, port.peer_port, other.peer, other.peer_port),
                      "this line is left out");
      return;
    }
    if (other.line < port.line) {
      if (other.bandwidth != port.bandwidth && other.bandwidth > 0 && port.bandwidth > 0)
        report_.warning(port.line, 1, "the ends of this cable disagree about its width or speed", fmt::format("line {} is taken", other.line));
      return;
    }
    connect(node, port, port.bandwidth > 0 ? port.bandwidth : other.bandwidth);
  }

  void connect(const IbNode& node, const IbPort& port, double bandwidth) {
    if (port.peer == node.id) {
      report_.warning(port.line, 1, "a cable from a node to itself is left out");
      return;
    }
    if (!by_id_.contains(port.peer)) {
      report_.warning(port.line, 1, fmt::format("'{}' has no block of its own", port.peer));
      add_vertex(port.peer, port.peer, port.peer.starts_with('H') ? 'H' : 'S', false, 0);
    }
    const VertexIndex from = by_id_.at(node.id);
    const VertexIndex to = by_id_.at(port.peer);
    const auto latency = [&](VertexIndex end) { return builder_[end].kind == VertexKind::network_switch ? p_.switch_latency_s : p_.nic_latency_s; };
    const auto number = [](int value) { return static_cast<std::uint16_t>(std::clamp(value, 0, 65535)); };
    if (bandwidth == 0) {
      ++without_speed_;
      bandwidth = p_.default_bandwidth;
    }
    builder_.connect(from, to, {bandwidth, (latency(from) + latency(to)) / 2, LinkKind::infiniband, Cable::unknown},
                     {number(port.number), number(port.peer_port)});
    edges_.emplace_back(from, to);
  }

  void mark_reducing_switches() {
    for (const auto& [a, b] : edges_) {
      if (builder_[a].kind == VertexKind::aggregation_node) builder_[b].reduces = true;
      if (builder_[b].kind == VertexKind::aggregation_node) builder_[a].reduces = true;
    }
  }

  void infer_tiers() {
    std::vector<int> adapters(builder_.vertex_count(), 0);
    std::vector<std::vector<VertexIndex>> neighbours(builder_.vertex_count());
    for (const auto& [a, b] : edges_)
      for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
        if (builder_[one].kind != VertexKind::network_switch) continue;
        if (builder_[other].kind == VertexKind::nic) ++adapters[one.value];
        if (builder_[other].kind == VertexKind::network_switch) neighbours[one.value].push_back(other);
      }
    const int most = adapters.empty() ? 0 : *std::ranges::max_element(adapters);
    std::vector<VertexIndex> queue;
    for (std::uint32_t v = 0; most > 0 && v < adapters.size(); ++v)
      if (builder_[VertexIndex{v}].kind == VertexKind::network_switch && 4 * adapters[v] >= most) {
        builder_[VertexIndex{v}].tier = 1;
        queue.push_back({v});
      }
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const VertexIndex next : neighbours[queue[i].value])
        if (builder_[next].tier == 0) {
          builder_[next].tier = static_cast<std::int8_t>(std::min(builder_[queue[i]].tier + 1, 127));
          queue.push_back(next);
        }
  }

  std::vector<IbNode> nodes_;
  const IbnetdiscoverParameters& p_;
  ImportReport& report_;
  TopologyBuilder builder_;
  std::unordered_map<std::string, VertexIndex> by_id_;
  std::map<std::pair<std::string, int>, const IbPort*> ends_;
  std::vector<std::pair<VertexIndex, VertexIndex>> edges_;
  int without_speed_ = 0;
};

}  // namespace

std::optional<Topology> import_ibnetdiscover(std::string_view text, std::string_view file, const IbnetdiscoverParameters& parameters,
                                             Diagnostics& diagnostics) {
  ImportReport report(file, diagnostics);
  std::vector<IbNode> nodes = read_ib_fabric(text, report);
  if (nodes.empty() && !report.has_errors()) report.error(0, 0, "no Switch, Ca or Rt block", "expected the output of ibnetdiscover");
  if (report.has_errors()) return std::nullopt;
  Topology topology = FabricTopology(std::move(nodes), parameters, report).build();
  if (report.has_errors()) return std::nullopt;
  return topology;
}

bool is_ibnetdiscover(std::string_view text) {
  return std::ranges::any_of(split_lines(text), [](std::string_view line) {
    return line.starts_with("switchguid=") || line.starts_with("caguid=") || line.starts_with("rtguid=") || is_ib_node(line);
  });
}

}  // namespace rackwright::topologies
