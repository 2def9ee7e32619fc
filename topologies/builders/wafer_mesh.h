#pragma once

#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// A wafer cut into `columns` x `rows` regions, each an accelerator that forwards to its four neighbours, with NICs along
/// its left and right edges. A cable between two regions stands for all core-to-core links that cross their border.
/// The defaults are WSE-3: 12 x 7 dies of 900,000 cores together; 214 Pb/s of fabric; 12 ports of 100 Gb/s (Cerebras).
struct WaferMeshParameters {
  int columns = 12;
  int rows = 7;                      ///< The dies of one wafer; from memory, not from a datasheet.
  double cores = 900'000;            ///< Of the whole wafer.
  double fabric_bandwidth = 26.75e15;  ///< B/s, summed over every core's four neighbour links, outgoing.
  /// s to cross one region: one clock a core (about 1 GHz), some 100 cores a side. Derived, not published.
  double hop_latency_s = 0.1e-6;
  int nics = 12;
  double nic_bandwidth = 12.5e9;     ///< B/s per direction between a NIC and its region.
  double nic_latency_s = 1e-6;         ///< s; as a PCIe device in PcieHostParameters.
};

/// Core-to-core links across the border of two regions, times the bandwidth of one.
/// A region of n cores has about sqrt(n) of them on each side.
double region_bandwidth(const WaferMeshParameters& parameters);

void check(const WaferMeshParameters& parameters, std::string_view path, Diagnostics& diagnostics);

/// Adds one wafer: a host, a rack and an island called `name`.
HostPorts add_wafer_mesh(TopologyBuilder& builder, const WaferMeshParameters& parameters, std::string_view name);

}  // namespace rackwright::topologies
