#include "topologies/builders/pcie_host.h"

#include <fmt/format.h>

#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

namespace {

/// The parent of child `index` when `children` are spread in order over `parents`.
std::size_t parent_of(int index, int children, int parents) { return static_cast<std::size_t>(index * parents / children); }

}  // namespace

void check(const PcieHostParameters& p, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  check.at_least("processors", p.processors, 1);
  check.at_least("pcie_switches", p.pcie_switches, 0);
  check.at_least("accelerators", p.accelerators, 0);
  check.at_least("nics", p.nics, 0);
  check.positive("pcie_bandwidth", p.pcie_bandwidth);
  if (p.processors > 1) check.positive("socket_bandwidth", p.socket_bandwidth);
  check.at_least("c2c_bandwidth", p.c2c_bandwidth, 0);
  check.at_least("pcie_latency_s", p.pcie_latency_s, 0);
  check.vertices(double{1} + p.processors + p.pcie_switches + p.accelerators + p.nics);
}

HostPorts add_pcie_host(TopologyBuilder& builder, const PcieHostParameters& p, std::string_view name, DomainIndex rack) {
  HostPorts host;
  host.name = name;
  host.host = builder.domain(DomainKind::host, name);
  const auto add = [&](std::string_view what, int n, VertexKind kind, Forwarding forwarding) {
    return builder.add(host_vertex(fmt::format("{}/{}{}", name, what, n), kind, forwarding, host.host, rack));
  };
  const LinkSpec pcie{p.pcie_bandwidth, link_latency_s(p.pcie_latency_s, p.pcie_latency_s, Cable::board), LinkKind::pcie, Cable::board};
  const LinkSpec c2c{p.c2c_bandwidth, link_latency_s(p.pcie_latency_s, p.pcie_latency_s, Cable::board), LinkKind::c2c, Cable::board};
  const LinkSpec socket{p.socket_bandwidth, pcie.latency_s, LinkKind::socket, Cable::board};

  for (int i = 0; i < p.processors; ++i) {
    host.processors.push_back(add("cpu", i, VertexKind::processor, Forwarding::within_host));
    for (int j = 0; j < i; ++j) builder.connect(host.processors[static_cast<std::size_t>(j)], host.processors.back(), socket);
  }
  std::vector<VertexIndex> roots = host.processors;
  if (p.pcie_switches > 0) {
    roots.clear();
    for (int i = 0; i < p.pcie_switches; ++i) {
      roots.push_back(add("pcisw", i, VertexKind::pcie_switch, Forwarding::within_host));
      builder.connect(host.processors[parent_of(i, p.pcie_switches, p.processors)], roots.back(), pcie);
    }
  }
  const int root_count = static_cast<int>(roots.size());
  for (int i = 0; i < p.accelerators; ++i) {
    host.accelerators.push_back(add("acc", i, VertexKind::accelerator, Forwarding::never));
    if (p.c2c_bandwidth > 0)
      builder.connect(host.processors[parent_of(i, p.accelerators, p.processors)], host.accelerators.back(), c2c);
    else
      builder.connect(roots[parent_of(i, p.accelerators, root_count)], host.accelerators.back(), pcie);
  }
  for (int i = 0; i < p.nics; ++i) {
    host.nics.push_back(add("nic", i, VertexKind::nic, Forwarding::within_host));
    builder.connect(roots[parent_of(i, p.nics, root_count)], host.nics.back(), pcie);
  }
  return host;
}

}  // namespace rackwright::topologies
