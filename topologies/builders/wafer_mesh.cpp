#include "topologies/builders/wafer_mesh.h"

#include <cmath>

#include <fmt/format.h>

#include "topologies/builders/parameter_check.h"

namespace rackwright::topologies {

double region_bandwidth(const WaferMeshParameters& p) {
  constexpr int neighbours = 4;
  const double link = p.fabric_bandwidth / (p.cores * neighbours);
  const double cores_on_side = std::sqrt(p.cores / (p.columns * p.rows));
  return cores_on_side * link;
}

void check(const WaferMeshParameters& p, std::string_view path, Diagnostics& diagnostics) {
  ParameterCheck check(path, diagnostics);
  check.at_least("columns", p.columns, 1);
  check.at_least("rows", p.rows, 1);
  check.at_least("cores", p.cores, 1);
  check.positive("fabric_bandwidth", p.fabric_bandwidth);
  check.at_least("hop_latency_s", p.hop_latency_s, 0);
  check.at_least("nics", p.nics, 0);
  check.positive("nic_bandwidth", p.nic_bandwidth);
  check.at_least("nic_latency_s", p.nic_latency_s, 0);
  check.vertices(double{1} * p.columns * p.rows + p.nics);
}

HostPorts add_wafer_mesh(TopologyBuilder& builder, const WaferMeshParameters& p, std::string_view name) {
  HostPorts wafer;
  wafer.name = name;
  wafer.host = builder.domain(DomainKind::host, name);
  const DomainIndex rack = builder.domain(DomainKind::rack, name);
  const DomainIndex island = builder.domain(DomainKind::island, name);
  const Grid grid{{static_cast<std::uint32_t>(builder.vertex_count())}, {p.columns, p.rows, 1}, {false, false, false}};
  for (int r = 0; r < grid.count(); ++r) {
    Vertex vertex = host_vertex(fmt::format("{}/acc{}", name, r), VertexKind::accelerator, Forwarding::always, wafer.host, rack);
    vertex.in(DomainKind::island) = island;
    wafer.accelerators.push_back(builder.add(std::move(vertex)));
  }
  builder.add_grid(grid);
  const LinkSpec border{region_bandwidth(p), link_latency_s(p.hop_latency_s, p.hop_latency_s, Cable::package), LinkKind::wafer, Cable::package};
  for (const VertexIndex region : wafer.accelerators) {
    const auto place = grid.position(region);
    if (place[0] + 1 < p.columns) builder.connect(region, grid.at({place[0] + 1, place[1], 0}), border, {1, 2});
    if (place[1] + 1 < p.rows) builder.connect(region, grid.at({place[0], place[1] + 1, 0}), border, {3, 4});
  }
  const LinkSpec out{p.nic_bandwidth, link_latency_s(p.hop_latency_s, p.nic_latency_s, Cable::board), LinkKind::pcie, Cable::board};
  for (int n = 0; n < p.nics; ++n) {
    wafer.nics.push_back(builder.add(host_vertex(fmt::format("{}/nic{}", name, n), VertexKind::nic, Forwarding::within_host, wafer.host, rack)));
    const int column = n % 2 == 0 ? 0 : p.columns - 1;
    builder.connect(wafer.nics.back(), grid.at({column, n / 2 % p.rows, 0}), out);
  }
  return wafer;
}

}  // namespace rackwright::topologies
