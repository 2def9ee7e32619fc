#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// Number of a zone: a set of vertices that forward for the same transfers.
using ZoneId = std::uint32_t;

/// Splits the vertices that forward into zones: the fabric (they forward for everyone), one for each scale-up island
/// (they forward inside it), one for each host. A vertex is in at most one. A route is a few legs, each
/// through one zone, so that next hops are looked for among hundreds of switches and not among all vertices.
class ZoneMap {
 public:
  explicit ZoneMap(const Topology& topology);

  static constexpr ZoneId none = 0xffffffffu;
  static constexpr ZoneId fabric = 0;
  std::size_t zone_count() const { return members_.size(); }

  ZoneId zone_of(VertexIndex vertex) const { return zone_of_[vertex.value]; }
  /// Place of a vertex within its zone.
  std::uint32_t place(VertexIndex vertex) const { return place_[vertex.value]; }
  const std::vector<VertexIndex>& members(ZoneId zone) const { return members_[zone]; }
  /// The zone inside a host or island; none for `no_domain`.
  ZoneId zone_inside(DomainIndex domain) const { return domain == no_domain ? none : zone_inside_[domain.value]; }

 private:
  std::vector<ZoneId> zone_of_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<VertexIndex>> members_;
  std::vector<ZoneId> zone_inside_;  ///< By domain.
};

}  // namespace rackwright::topologies
