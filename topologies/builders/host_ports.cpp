#include "topologies/builders/host_ports.h"

#include <utility>

#include <fmt/format.h>

namespace rackwright::topologies {

namespace {
constexpr double flight_s_per_m = 5e-9;
}

std::vector<HostPorts> add_bare_hosts(TopologyBuilder& builder, std::string_view name, int hosts, int nics_per_host) {
  std::vector<HostPorts> added;
  for (int h = 0; h < hosts; ++h) {
    HostPorts ports;
    ports.name = fmt::format("{}{}", name, h);
    ports.host = builder.domain(DomainKind::host, ports.name);
    for (int n = 0; n < nics_per_host; ++n)
      ports.nics.push_back(builder.add(
          host_vertex(fmt::format("{}/nic{}", ports.name, n), VertexKind::nic, Forwarding::within_host, ports.host, no_domain)));
    added.push_back(std::move(ports));
  }
  return added;
}

Vertex host_vertex(std::string name, VertexKind kind, Forwarding forwarding, DomainIndex host, DomainIndex rack) {
  Vertex vertex;
  vertex.name = std::move(name);
  vertex.kind = kind;
  vertex.forwarding = forwarding;
  vertex.in(DomainKind::host) = host;
  vertex.in(DomainKind::rack) = rack;
  return vertex;
}

double link_latency_s(double end_a_s, double end_b_s, Cable cable) {
  return (end_a_s + end_b_s) / 2 + reach_m(cable) * flight_s_per_m;
}

}  // namespace rackwright::topologies
