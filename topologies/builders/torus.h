#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

/// A 2-D (size[2] = 1) or 3-D torus of accelerators that forward for each other, as in TPU pods. A dimension of size 2
/// has one cable between its two chips, wrapped or not. Ports: 1 and 2 are x up and down, 3 and 4 y, 5 and 6 z.
/// Chips of one host share a processor and NICs.
struct TorusParameters {
  std::array<int, 3> size{4, 4, 4};           ///< TPU v4 to v7: cubes of 4x4x4 in one rack; v5e and v6e: 16x16 (Google).
  std::array<bool, 3> wraps{true, true, true};
  std::array<int, 3> host_shape{2, 2, 1};     ///< Chips of one host; divides `size`.
  std::array<int, 3> rack_shape{4, 4, 4};     ///< Chips of one rack.
  double link_bandwidth = 100e9;   ///< B/s per direction. ICI per link: v5e 45, v6e 90, v7 100 GB/s (Scaling Book; SemiAnalysis).
  double hop_latency_s = 1e-6;       ///< s; about 1 µs a hop (Scaling Book).
  LinkKind kind = LinkKind::ici;
  Cable rack_cable = Cable::copper;
  Cable long_cable = Cable::single_mode;  ///< Between racks and around (through optical circuit switches on TPU v4 to v7).
  int nics_per_host = 1;           ///< 0: no way out of the torus.
  double pcie_bandwidth = 63e9;    ///< B/s per direction, chip to processor and processor to NIC. PCIe 5.0 x16.
  double pcie_latency_s = 1e-6;      ///< s; as in PcieHostParameters.
};

void check(const TorusParameters& parameters, std::string_view path, Diagnostics& diagnostics);

/// Adds the chips "name/acc0" …, hosts and racks; the hosts can go on to a fabric.
std::vector<HostPorts> add_torus(TopologyBuilder& builder, const TorusParameters& parameters, std::string_view name);

}  // namespace rackwright::topologies
