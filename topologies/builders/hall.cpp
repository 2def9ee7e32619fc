#include "topologies/builders/hall.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace rackwright::topologies {

namespace {

std::size_t at(int n) { return static_cast<std::size_t>(n); }

class HallWiring {
 public:
  explicit HallWiring(const HallParameters& parameters) : p_(parameters) {}

  Hall run() {
    for (const HallGroupParameters& group : p_.groups) add_group(group);
    if (p_.imported) add_imported();
    else if (p_.scale_out) add_scale_out(builder_, *p_.scale_out, hosts_, "fabric");
    for (const HallJoinParameters& join : p_.joins) add_join(join);
    hall_.topology = builder_.build();
    return std::move(hall_);
  }

 private:
  void add_group(const HallGroupParameters& group) {
    HallGroup& added = hall_.groups.emplace_back();
    added.parameters = group;
    group.torus ? add_torus_group(group, added) : add_nodes(group, added);
  }

  void add_torus_group(const HallGroupParameters& group, HallGroup& added) {
    TorusParameters torus = *group.torus;
    torus.nics_per_host = p_.imported ? 0 : group.nics_per_node;
    for (HostPorts& host : add_torus(builder_, torus, group.name)) {
      added.accelerators.insert(added.accelerators.end(), host.accelerators.begin(), host.accelerators.end());
      added.nics.push_back(host.nics);
      if (!host.nics.empty()) hosts_.push_back(std::move(host));
    }
  }

  void add_nodes(const HallGroupParameters& group, HallGroup& added) {
    for (int n = 0; n < group.nodes(); ++n) {
      HostPorts host;
      host.name = fmt::format("{}/node{}", group.name, n);
      host.host = builder_.domain(DomainKind::host, host.name);
      const DomainIndex rack = rack_of(group, n);
      for (int d = 0; d < group.devices_per_node; ++d) {
        const int device = n * group.devices_per_node + d;
        Vertex vertex = host_vertex(fmt::format("{}/acc{}", group.name, device), VertexKind::accelerator, Forwarding::never, host.host, rack);
        if (has_islands(group)) vertex.in(DomainKind::island) = island_of(group, device);
        added.accelerators.push_back(builder_.add(std::move(vertex)));
        if (has_islands(group)) connect_to_island(group, device, added.accelerators.back(), rack);
      }
      for (int i = 0; i < group.nics_per_node && !p_.imported; ++i)
        host.nics.push_back(builder_.add(host_vertex(fmt::format("{}/nic{}", host.name, i), VertexKind::nic, Forwarding::within_host, host.host, rack)));
      host.accelerators.assign(added.accelerators.end() - group.devices_per_node, added.accelerators.end());
      connect_nics(group, host);
      added.nics.push_back(host.nics);
      if (!host.nics.empty()) hosts_.push_back(std::move(host));
    }
  }

  DomainIndex rack_of(const HallGroupParameters& group, int node) {
    return builder_.domain(DomainKind::rack, fmt::format("{}/rack{}", group.name, node / group.nodes_per_rack));
  }

  static bool has_islands(const HallGroupParameters& group) { return group.island_devices > 1 && group.scale_up_bandwidth > 0; }

  DomainIndex island_of(const HallGroupParameters& group, int device) {
    return builder_.domain(DomainKind::island, fmt::format("{}/island{}", group.name, device / group.island_devices));
  }

  /// All switches of a domain are one vertex: it blocks nothing, so only the ports of its devices bound anything.
  void connect_to_island(const HallGroupParameters& group, int device, VertexIndex accelerator, DomainIndex rack) {
    const DomainIndex island = island_of(group, device);
    if (device % group.island_devices == 0) {
      Vertex vertex = host_vertex(fmt::format("{}/switch{}", group.name, device / group.island_devices), VertexKind::scale_up_switch,
                                  Forwarding::always, no_domain, rack);
      vertex.tier = 1;
      vertex.reduces = group.scale_up_reduces;
      vertex.in(DomainKind::island) = island;
      island_switch_ = builder_.add(std::move(vertex));
    }
    builder_.connect(accelerator, island_switch_,
                     {group.scale_up_bandwidth, group.scale_up_latency_s / 2, group.scale_up_link, Cable::board});
  }

  /// Devices reach the NICs of their node over PCIe, each the nearest ones: device i those from i · nics / devices on.
  void connect_nics(const HallGroupParameters& group, const HostPorts& host) {
    if (group.host_bandwidth <= 0) return;
    const std::size_t devices = host.accelerators.size();
    for (std::size_t n = 0; n < std::max(devices, host.nics.size()) && devices > 0 && !host.nics.empty(); ++n)
      builder_.connect(host.accelerators[n * devices / std::max(devices, host.nics.size())],
                       host.nics[n * host.nics.size() / std::max(devices, host.nics.size())],
                       {group.host_bandwidth, 0, LinkKind::pcie, Cable::board});
  }

  void add_imported() {
    const std::uint32_t first = builder_.append(*p_.imported, "fabric/").value;
    std::size_t next = 0;
    const std::vector<VertexIndex> ends = endpoints(*p_.imported);
    const bool by_device = (*p_.imported)[ends.front()].kind == VertexKind::accelerator;
    for (HallGroup& group : hall_.groups) {
      if (group.parameters.nics_per_node == 0 && !by_device) continue;
      for (int n = 0; n < group.parameters.nodes(); ++n) {
        const int taken = by_device ? group.parameters.devices_per_node : 1;
        for (int i = 0; i < taken; ++i) group.nics[at(n)].push_back({first + ends[next++].value});
      }
    }
  }

  void add_join(const HallJoinParameters& join) {
    HallJoin& added = hall_.joins.emplace_back();
    added.parameters = join;
    const std::string name = fmt::format("join{}", hall_.joins.size() - 1);
    const auto add_side = [&](int group, std::string_view side, std::vector<VertexIndex>& ports) {
      Vertex vertex;
      vertex.name = fmt::format("{}/{}", name, side);
      vertex.kind = VertexKind::network_switch;
      vertex.forwarding = Forwarding::always;
      vertex.tier = 1;
      const VertexIndex patch = builder_.add(std::move(vertex));
      const HallGroupParameters& nodes = p_.groups[at(group)];
      const int cables = std::max(1, join.links / nodes.nodes());
      for (int n = 0; n < nodes.nodes(); ++n) {
        const std::string node = fmt::format("{}/node{}", nodes.name, n);
        ports.push_back(builder_.add(host_vertex(fmt::format("{}/{}-{}", node, name, side), VertexKind::nic, Forwarding::within_host,
                                                 builder_.domain(DomainKind::host, node), rack_of(nodes, n))));
        builder_.connect(ports.back(), patch,
                         {cables * join.bandwidth, join.latency_s / 4, join.link, Cable::unknown, static_cast<std::uint16_t>(cables)});
      }
      return patch;
    };
    const VertexIndex a = add_side(join.from, "from", added.from_ports);
    const VertexIndex b = add_side(join.to, "to", added.to_ports);
    builder_.connect(a, b, {join.links * join.bandwidth, join.latency_s / 2, join.link, Cable::unknown, static_cast<std::uint16_t>(join.links)});
  }

  const HallParameters& p_;
  TopologyBuilder builder_;
  Hall hall_;
  std::vector<HostPorts> hosts_;
  VertexIndex island_switch_;
};

/// Whether an imported network has an end for everything that is to hang on it.
void check_imported(const HallParameters& p, const std::string& path, Diagnostics& diagnostics) {
  const std::vector<VertexIndex> ends = endpoints(*p.imported);
  const bool by_device = !ends.empty() && (*p.imported)[ends.front()].kind == VertexKind::accelerator;
  std::size_t needed = 0;
  for (const HallGroupParameters& group : p.groups) {
    if (by_device) needed += at(group.devices());
    else if (group.nics_per_node > 0) needed += at(group.nodes());
  }
  if (ends.size() < needed || ends.empty())
    diagnostics.error({}, path + ".file", fmt::format("the network has {} endpoints, but {} {} are to hang on it", ends.size(), needed,
                                                      by_device ? "devices" : "nodes"));
}

}  // namespace

std::optional<Hall> build_hall(const HallParameters& p, std::string_view path, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  const std::string scale_out = fmt::format("{}{}scale_out", path, path.empty() ? "" : ".");
  int hosts = 0;
  int nics = 0;
  for (const HallGroupParameters& group : p.groups) {
    if (group.nics_per_node > 0) hosts += group.nodes();
    nics = std::max(nics, group.nics_per_node);
    if (group.torus) check(*group.torus, scale_out, diagnostics);
  }
  if (p.imported) check_imported(p, scale_out, diagnostics);
  else if (p.scale_out) check(*p.scale_out, hosts, nics, scale_out, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  return HallWiring(p).run();
}

}  // namespace rackwright::topologies
