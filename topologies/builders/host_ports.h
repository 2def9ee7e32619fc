#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/graph/topology_builder.h"

namespace rackwright::topologies {

/// What a builder of hosts hands to a builder of fabrics.
struct HostPorts {
  std::string name;
  DomainIndex host;
  std::vector<VertexIndex> accelerators;
  std::vector<VertexIndex> processors;
  std::vector<VertexIndex> nics;  ///< In rail order.
};

/// Hosts of NICs alone, for a fabric whose hosts are of no interest: "name0/nic0" …
std::vector<HostPorts> add_bare_hosts(TopologyBuilder& builder, std::string_view name, int hosts, int nics_per_host);

/// A vertex that passes traffic on within `host` only, or never.
Vertex host_vertex(std::string name, VertexKind kind, Forwarding forwarding, DomainIndex host, DomainIndex rack);

/// Latency of a link: half of what each end takes to pass a message on, and the flight over the longest
/// cable of its class at 5 ns/m (light in fibre of refractive index 1.47; copper is within 10 % of it).
double link_latency_s(double end_a_s, double end_b_s, Cable cable);

}  // namespace rackwright::topologies
