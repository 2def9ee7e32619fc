#include "topologies/builders/dragonfly.h"

#include <string>

#include <fmt/format.h>

#include "topologies/builders/global_links.h"
#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

void check(const DragonflyParameters& p, int nics, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("groups", p.groups, 1);
  check.at_least("routers_per_group", p.routers_per_group, 1);
  check.at_least("nics_per_router", p.nics_per_router, 1);
  check.at_least("global_links_per_router", p.global_links_per_router, p.groups > 1 ? 1 : 0);
  check.positive("bandwidth", p.bandwidth);
  check.at_least("nic_latency_s", p.nic_latency_s, 0);
  check.at_least("router_latency_s", p.router_latency_s, 0);
  if (diagnostics.error_count() > errors) return;
  const double global_ports = double{1} * p.routers_per_group * p.global_links_per_router;
  check.holds(p.groups <= global_ports + 1, "groups",
              fmt::format("{} groups cannot all be joined by {:.0f} global ports each", p.groups, global_ports),
              fmt::format("at most {:.0f}", global_ports + 1));
  const double capacity = double{1} * p.groups * p.routers_per_group * p.nics_per_router;
  check.vertices(capacity);
  check.vertices(double{0.01} * p.groups * p.routers_per_group * p.routers_per_group);
  check.holds(nics <= capacity, "nics_per_router", fmt::format("{} NICs do not fit on {:.0f} ports", nics, capacity));
}

void add_dragonfly(TopologyBuilder& builder, const DragonflyParameters& p, std::span<const HostPorts> hosts, std::string_view name) {
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  std::vector<VertexIndex> routers;
  for (int g = 0; g < p.groups; ++g) {
    const DomainIndex pod = builder.domain(DomainKind::pod, fmt::format("{}/group{}", name, g));
    for (int r = 0; r < p.routers_per_group; ++r) {
      Vertex vertex;
      vertex.name = fmt::format("{}/router{}", name, g * p.routers_per_group + r);
      vertex.kind = VertexKind::network_switch;
      vertex.forwarding = Forwarding::always;
      vertex.tier = 1;
      vertex.ports = static_cast<std::uint16_t>(p.nics_per_router + p.routers_per_group - 1 + p.global_links_per_router);
      vertex.in(DomainKind::pod) = pod;
      routers.push_back(builder.add(std::move(vertex)));
      for (int other = 0; other < r; ++other)
        builder.connect(routers[at(g * p.routers_per_group + other)], routers.back(),
                        {p.bandwidth, link_latency_s(p.router_latency_s, p.router_latency_s, p.local_cable), p.kind, p.local_cable});
    }
  }
  const LinkSpec global{p.bandwidth, link_latency_s(p.router_latency_s, p.router_latency_s, p.global_cable), p.kind, p.global_cable};
  for (const GlobalLink& link : global_links(p.groups, p.routers_per_group * p.global_links_per_router))
    // Ports go round the routers, so that few groups still use all of them.
    builder.connect(routers[at(link.group_a * p.routers_per_group + link.port_a % p.routers_per_group)],
                    routers[at(link.group_b * p.routers_per_group + link.port_b % p.routers_per_group)], global);

  const LinkSpec down{p.bandwidth, link_latency_s(p.nic_latency_s, p.router_latency_s, p.host_cable), p.kind, p.host_cable};
  hang_below(builder, hosts, routers, p.nics_per_router, down);
}

}  // namespace rackwright::topologies
