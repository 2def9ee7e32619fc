#include "topologies/builders/global_links.h"

#include "models/base/invariant.h"

namespace rackwright::topologies {

std::vector<GlobalLink> global_links(int groups, int ports) {
  std::vector<GlobalLink> links;
  const int peers = groups - 1;
  if (peers < 1) return links;
  for (int first = 0; first < ports; first += peers)
    for (int distance = 1; distance <= peers; ++distance) {
      const int port = first + distance - 1;
      const int back_port = first + groups - distance - 1;
      if (port >= ports || back_port >= ports) continue;
      for (int group = 0; group < groups; ++group) {
        const int other = (group + distance) % groups;
        if (group < other) links.push_back({group, port, other, back_port});
      }
    }
  return links;
}

void hang_below(TopologyBuilder& builder, std::span<const HostPorts> hosts, std::span<const VertexIndex> switches, int nics_per_switch,
                const LinkSpec& down) {
  std::size_t placed = 0;
  for (const HostPorts& host : hosts)
    for (const VertexIndex nic : host.nics) {
      const std::size_t at = placed++ / static_cast<std::size_t>(nics_per_switch);
      invariant(at < switches.size(), "check() has seen that the NICs fit");
      builder.connect(nic, switches[at], down);
      const DomainIndex pod = builder[switches[at]].in(DomainKind::pod);
      builder[nic].in(DomainKind::pod) = pod;
      for (const auto* group : {&host.accelerators, &host.processors})
        for (const VertexIndex vertex : *group) builder[vertex].in(DomainKind::pod) = pod;
    }
}

}  // namespace rackwright::topologies
