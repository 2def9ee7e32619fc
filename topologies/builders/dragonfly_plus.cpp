#include "topologies/builders/dragonfly_plus.h"

#include <string>

#include <fmt/format.h>

#include "topologies/builders/global_links.h"
#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

void check(const DragonflyPlusParameters& p, int nics, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("groups", p.groups, 1);
  check.at_least("leaves_per_group", p.leaves_per_group, 1);
  check.at_least("spines_per_group", p.spines_per_group, 1);
  check.at_least("nics_per_leaf", p.nics_per_leaf, 1);
  check.at_least("global_links_per_spine", p.global_links_per_spine, p.groups > 1 ? 1 : 0);
  check.positive("bandwidth", p.bandwidth);
  check.at_least("nic_latency_s", p.nic_latency_s, 0);
  check.at_least("switch_latency_s", p.switch_latency_s, 0);
  if (diagnostics.error_count() > errors) return;
  const double global_ports = double{1} * p.spines_per_group * p.global_links_per_spine;
  check.holds(p.groups <= global_ports + 1, "groups",
              fmt::format("{} groups cannot all be joined by {:.0f} global ports each", p.groups, global_ports),
              fmt::format("at most {:.0f}", global_ports + 1));
  const double capacity = double{1} * p.groups * p.leaves_per_group * p.nics_per_leaf;
  check.vertices(capacity + double{1} * p.groups * p.spines_per_group);
  check.vertices(0.01 * p.groups * p.leaves_per_group * p.spines_per_group);
  check.holds(nics <= capacity, "nics_per_leaf", fmt::format("{} NICs do not fit on {:.0f} ports", nics, capacity));
}

void add_dragonfly_plus(TopologyBuilder& builder, const DragonflyPlusParameters& p, std::span<const HostPorts> hosts, std::string_view name) {
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  const auto add_switch = [&](std::string_view what, int number, int tier, int ports, DomainIndex pod) {
    Vertex vertex;
    vertex.name = fmt::format("{}/{}{}", name, what, number);
    vertex.kind = VertexKind::network_switch;
    vertex.forwarding = Forwarding::always;
    vertex.tier = static_cast<std::int8_t>(tier);
    vertex.ports = static_cast<std::uint16_t>(ports);
    vertex.in(DomainKind::pod) = pod;
    return builder.add(std::move(vertex));
  };
  const LinkSpec local{p.bandwidth, link_latency_s(p.switch_latency_s, p.switch_latency_s, p.local_cable), p.kind, p.local_cable};
  std::vector<VertexIndex> leaves;
  std::vector<VertexIndex> spines;
  for (int g = 0; g < p.groups; ++g) {
    const DomainIndex pod = builder.domain(DomainKind::pod, fmt::format("{}/group{}", name, g));
    for (int l = 0; l < p.leaves_per_group; ++l)
      leaves.push_back(add_switch("leaf", g * p.leaves_per_group + l, 1, p.nics_per_leaf + p.spines_per_group, pod));
    for (int s = 0; s < p.spines_per_group; ++s) {
      spines.push_back(add_switch("spine", g * p.spines_per_group + s, 2, p.leaves_per_group + p.global_links_per_spine, pod));
      for (int l = 0; l < p.leaves_per_group; ++l) builder.connect(leaves[at(g * p.leaves_per_group + l)], spines.back(), local);
    }
  }
  const LinkSpec global{p.bandwidth, link_latency_s(p.switch_latency_s, p.switch_latency_s, p.global_cable), p.kind, p.global_cable};
  for (const GlobalLink& link : global_links(p.groups, p.spines_per_group * p.global_links_per_spine))
    builder.connect(spines[at(link.group_a * p.spines_per_group + link.port_a % p.spines_per_group)],
                    spines[at(link.group_b * p.spines_per_group + link.port_b % p.spines_per_group)], global);

  const LinkSpec down{p.bandwidth, link_latency_s(p.nic_latency_s, p.switch_latency_s, p.host_cable), p.kind, p.host_cable};
  hang_below(builder, hosts, leaves, p.nics_per_leaf, down);
}

}  // namespace rackwright::topologies
