#include "topologies/builders/nvlink_island.h"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

/// How many of `links` go to receiver `n` of `receivers` when they are spread evenly.
int share(int links, int n, int receivers) { return links / receivers + (n < links % receivers ? 1 : 0); }

class IslandWiring {
 public:
  IslandWiring(TopologyBuilder& builder, const NvlinkIslandParameters& parameters, std::string_view name)
      : builder_(builder), p_(parameters), name_(name), island_(builder.domain(DomainKind::island, name)) {}

  /// Joins the accelerators of one group to each other, without switches.
  void mesh(std::span<const VertexIndex> accelerators) {
    const int peers = static_cast<int>(accelerators.size()) - 1;
    for (std::size_t a = 0; a < accelerators.size(); ++a)
      for (std::size_t b = a + 1; b < accelerators.size(); ++b)
        connect(accelerators[a], accelerators[b], p_.links_per_accelerator / peers, p_.cable);
  }

  void first_level(std::span<const VertexIndex> accelerators, DomainIndex host, DomainIndex rack) {
    std::vector<VertexIndex> chips;
    for (int c = 0; c < p_.switches; ++c) {
      chips.push_back(add_switch("nvsw", groups_ * p_.switches + c, c, 1, host, rack));
      for (const VertexIndex accelerator : accelerators)
        connect(accelerator, chips.back(), share(p_.links_per_accelerator, c, p_.switches), p_.cable);
    }
    downlinks_ = static_cast<int>(accelerators.size()) * p_.links_per_accelerator / p_.switches;
    groups_ += 1;
    chips_.insert(chips_.end(), chips.begin(), chips.end());
  }

  void second_level() {
    const int per_plane = p_.second_level_switches / p_.switches;
    const int uplinks = p_.uplinks_per_switch > 0 ? p_.uplinks_per_switch : downlinks_;
    for (int plane = 0; plane < p_.switches; ++plane)
      for (int n = 0; n < per_plane; ++n) {
        const VertexIndex top = add_switch("nvspine", plane * per_plane + n, plane, 2, no_domain, no_domain);
        for (int g = 0; g < groups_; ++g)
          connect(chips_[static_cast<std::size_t>(g * p_.switches + plane)], top, share(uplinks, n, per_plane), p_.second_level_cable);
      }
  }

  DomainIndex island() const { return island_; }

 private:
  VertexIndex add_switch(std::string_view what, int number, int plane, int tier, DomainIndex host, DomainIndex rack) {
    Vertex vertex = host_vertex(fmt::format("{}/{}{}", name_, what, number), VertexKind::scale_up_switch, Forwarding::always, host, rack);
    vertex.tier = static_cast<std::int8_t>(tier);
    vertex.reduces = p_.reduces;
    vertex.in(DomainKind::island) = island_;
    vertex.in(DomainKind::plane) = builder_.domain(DomainKind::plane, fmt::format("{}/plane{}", name_, plane));
    return builder_.add(std::move(vertex));
  }

  void connect(VertexIndex a, VertexIndex b, int lanes, Cable cable) {
    if (lanes == 0) return;
    builder_.connect(a, b, {lanes * p_.link_bandwidth, link_latency_s(p_.hop_latency_s, p_.hop_latency_s, cable), p_.kind, cable,
                            static_cast<std::uint16_t>(lanes)});
  }

  TopologyBuilder& builder_;
  const NvlinkIslandParameters& p_;
  std::string name_;
  DomainIndex island_;
  std::vector<VertexIndex> chips_;
  int groups_ = 0;
  int downlinks_ = 0;
};

}  // namespace

void check(const NvlinkIslandParameters& p, std::string_view path, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  check(p.host, fmt::format("{}{}host", path, path.empty() ? "" : "."), diagnostics);
  ParameterCheck check(path, diagnostics);
  check.at_least("hosts", p.hosts, 1);
  check.at_least("hosts_per_group", p.hosts_per_group, 0);
  check.at_least("hosts_per_rack", p.hosts_per_rack, 0);
  check.at_least("switches", p.switches, 0);
  check.at_least("second_level_switches", p.second_level_switches, 0);
  check.at_least("uplinks_per_switch", p.uplinks_per_switch, 0);
  check.at_least("links_per_accelerator", p.links_per_accelerator, 1);
  check.positive("link_bandwidth", p.link_bandwidth);
  check.at_least("hop_latency_s", p.hop_latency_s, 0);
  check.at_least("host.accelerators", p.host.accelerators, 1);
  check.vertices(double{1} * p.hosts * (1.0 + p.host.accelerators + p.host.nics + p.host.processors + p.host.pcie_switches + p.switches));
  if (diagnostics.error_count() > errors) return;

  const bool one_group = p.hosts_per_group == 0 || p.hosts_per_group >= p.hosts;
  check.holds(p.links_per_accelerator < 65536 && p.links_per_accelerator >= std::max(p.switches, 1), "links_per_accelerator",
              fmt::format("{} links do not reach {} switches", p.links_per_accelerator, p.switches));
  if (p.switches == 0) {
    const int peers = p.hosts * p.host.accelerators - 1;
    check.holds(one_group, "hosts_per_group", "a mesh without switches has one group");
    check.holds(peers <= p.links_per_accelerator, "links_per_accelerator",
                fmt::format("{} links cannot reach {} peers without switches", p.links_per_accelerator, peers));
  } else if (!one_group) {
    check.holds(p.second_level_switches > 0, "second_level_switches", "several groups need second-level switches");
    check.holds(p.second_level_switches % p.switches == 0, "second_level_switches",
                fmt::format("{} is not a multiple of {} planes", p.second_level_switches, p.switches));
  }
}

std::vector<HostPorts> add_nvlink_island(TopologyBuilder& builder, const NvlinkIslandParameters& p, std::string_view name) {
  IslandWiring wiring(builder, p, name);
  const int per_group = p.hosts_per_group == 0 ? p.hosts : p.hosts_per_group;
  const int per_rack = p.hosts_per_rack == 0 ? p.hosts : p.hosts_per_rack;
  std::vector<HostPorts> hosts;
  std::vector<VertexIndex> group;
  for (int h = 0; h < p.hosts; ++h) {
    const DomainIndex rack =
        builder.domain(DomainKind::rack, per_rack >= p.hosts ? std::string(name) : fmt::format("{}/rack{}", name, h / per_rack));
    hosts.push_back(add_pcie_host(builder, p.host, p.hosts == 1 ? std::string(name) : fmt::format("{}/host{}", name, h), rack));
    for (const VertexIndex accelerator : hosts.back().accelerators) {
      builder[accelerator].in(DomainKind::island) = wiring.island();
      group.push_back(accelerator);
    }
    if ((h + 1) % per_group != 0 && h + 1 != p.hosts) continue;
    if (p.switches == 0 && group.size() > 1) wiring.mesh(group);
    if (p.switches > 0) wiring.first_level(group, p.hosts == 1 ? hosts.back().host : no_domain, rack);
    group.clear();
  }
  if (p.second_level_switches > 0 && per_group < p.hosts) wiring.second_level();
  return hosts;
}

}  // namespace rackwright::topologies
