#include "topologies/routing/zone_map.h"

namespace rackwright::topologies {

ZoneMap::ZoneMap(const Topology& topology)
    : zone_of_(topology.vertex_count(), none),
      place_(topology.vertex_count(), 0),
      members_(1),
      zone_inside_(topology.domains().size(), none) {
  for (std::size_t d = 0; d < topology.domains().size(); ++d) {
    const DomainKind kind = topology.domains()[d].kind;
    if (kind != DomainKind::host && kind != DomainKind::island) continue;
    zone_inside_[d] = static_cast<ZoneId>(members_.size());
    members_.emplace_back();
  }
  for (std::uint32_t i = 0; i < topology.vertex_count(); ++i) {
    const Vertex& vertex = topology.vertices()[i];
    ZoneId zone = none;
    if (vertex.forwarding == Forwarding::always)
      zone = vertex.in(DomainKind::island) == no_domain ? fabric : zone_inside(vertex.in(DomainKind::island));
    else if (vertex.forwarding == Forwarding::within_host)
      zone = zone_inside(vertex.in(DomainKind::host));
    if (zone == none) continue;
    zone_of_[i] = zone;
    place_[i] = static_cast<std::uint32_t>(members_[zone].size());
    members_[zone].push_back({i});
  }
}

}  // namespace rackwright::topologies
