#pragma once

#include <optional>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// What `nvidia-smi topo -m` does not print.
struct NvidiaSmiParameters {
  double nvlink_bandwidth = 25e9;  ///< B/s per direction of one NVLink. Generations 2 to 4: 25 GB/s; 5: 50 (NVIDIA).
  int links_per_gpu = 18;          ///< The most that any GPU has (H100 to B300, NVIDIA); more must go through switches.
  double pcie_bandwidth = 63e9;    ///< B/s per direction of every PCIe link. PCIe 5.0 x16.
  double socket_bandwidth = 22e9;  ///< B/s per direction between NUMA nodes; as in PcieHostParameters.
  double pcie_latency_s = 1e-6;      ///< s a PCIe hop; as in PcieHostParameters.
  double nvlink_latency_s = 0.5e-6;  ///< s an NVLink hop; as in NvlinkIslandParameters.
};

/// Reads the matrix that `nvidia-smi topo -m` prints: tabs or blanks, terminal escapes, GPU and NIC columns, affinity
/// columns or none, shorter NIC rows, text around it.
///
/// The relations become a tree: PIX shares a PCIe switch, PXB several, PHB a host bridge, NODE a NUMA node, SYS none.
/// Between GPUs the NVLinks hide the PCIe relation; it is inferred from the NICs and affinities that they share.
/// NV# between all pairs of GPUs that add up to more links than a GPU has are taken to go through an NVSwitch (noted).
std::optional<Topology> import_nvidia_smi(std::string_view text, std::string_view file, const NvidiaSmiParameters& parameters,
                                          Diagnostics& diagnostics);

/// Whether the text looks like such a matrix.
bool is_nvidia_smi(std::string_view text);

}  // namespace rackwright::topologies
