#include "topologies/builders/join.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "topologies/builders/host_ports.h"
#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

void check(const JoinParameters& p, std::span<const JoinMember> members, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  const int errors = diagnostics.error_count();
  check.at_least("switches", p.switches, 1);
  check.at_least("switch_ports", p.switch_ports, 0);
  check.holds(p.switch_ports < 65536, "switch_ports", fmt::format("{} is more than 65535", p.switch_ports));
  check.at_least("switch_latency_s", p.switch_latency_s, 0);
  check.holds(members.size() >= 2, "members", fmt::format("{} members have nothing to join", members.size()));
  double cables = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::string member = fmt::format("members[{}]", m);
    check.at_least(member + ".ports", static_cast<double>(members[m].ports.size()), 1);
    check.at_least(member + ".links_per_port", members[m].links_per_port, 1);
    check.positive(member + ".bandwidth", members[m].bandwidth);
    cables += static_cast<double>(members[m].ports.size()) * members[m].links_per_port;
  }
  if (diagnostics.error_count() > errors || p.switch_ports == 0) return;
  const double per_switch = std::ceil(cables / p.switches);
  check.holds(per_switch <= p.switch_ports, "switches",
              fmt::format("{:.0f} cables need {:.0f} ports of each of {} switches, which have {}", cables, per_switch, p.switches, p.switch_ports));
}

std::vector<VertexIndex> add_join(TopologyBuilder& builder, const JoinParameters& p, std::span<const JoinMember> members, std::string_view name) {
  int tier = 0;
  for (const JoinMember& member : members)
    for (const VertexIndex port : member.ports) tier = std::max<int>(tier, builder[port].tier);
  std::vector<VertexIndex> switches;
  for (int s = 0; s < p.switches; ++s) {
    Vertex vertex;
    vertex.name = fmt::format("{}/join{}", name, s);
    vertex.kind = VertexKind::network_switch;
    vertex.forwarding = Forwarding::always;
    vertex.tier = static_cast<std::int8_t>(std::min(tier + 1, 127));
    vertex.ports = static_cast<std::uint16_t>(p.switch_ports);
    switches.push_back(builder.add(std::move(vertex)));
  }
  for (const JoinMember& member : members) {
    std::size_t laid = 0;
    for (const VertexIndex port : member.ports)
      for (int l = 0; l < member.links_per_port; ++l)
        builder.connect(port, switches[laid++ % switches.size()],
                        {member.bandwidth, link_latency_s(p.switch_latency_s, p.switch_latency_s, p.cable), p.kind, p.cable});
  }
  return switches;
}

}  // namespace rackwright::topologies
