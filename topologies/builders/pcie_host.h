#pragma once

#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// A server: processors, PCIe switches below them, accelerators and NICs below those, each spread evenly and in order.
struct PcieHostParameters {
  int processors = 2;
  int pcie_switches = 4;  ///< 0 hangs everything at the processors.
  int accelerators = 8;
  int nics = 8;
  /// B/s per direction of every PCIe link. PCIe 5.0 x16: 32 GT/s · 16 · 128/130 / 8 = 63 GB/s (PCI-SIG).
  double pcie_bandwidth = 63e9;
  /// B/s per direction between neighbouring processors, as peer-to-peer traffic sees it.
  /// 22 GB/s: NCCL's figure for Sapphire Rapids (src/graph/topo.h, SRP_QPI_BW).
  double socket_bandwidth = 22e9;
  /// B/s per direction between an accelerator and its processor on one module; 0 where accelerators hang at PCIe.
  /// NVLink-C2C: 450 GB/s (Grace Hopper and Grace Blackwell), 900 GB/s (Vera Rubin), NVIDIA.
  double c2c_bandwidth = 0;
  /// s; what a PCIe switch, a processor or an endpoint adds to a message that it passes. Device to device over one
  /// switch then takes 2 µs, the low end of the 2-5 µs that secondary sources give; no vendor figure.
  double pcie_latency_s = 1e-6;
};

void check(const PcieHostParameters& parameters, std::string_view path, Diagnostics& diagnostics);

/// Adds one host called `name` in `rack` (or no_domain). The parameters have passed check().
HostPorts add_pcie_host(TopologyBuilder& builder, const PcieHostParameters& parameters, std::string_view name, DomainIndex rack);

}  // namespace rackwright::topologies
