#pragma once

#include <optional>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology.h"

namespace rackwright::topologies {

/// What an NCCL or RCCL topology file does not say.
struct NcclXmlParameters {
  /// B/s per direction of one NVLink, by the GPU's sm: below 100 generations 2 to 4 (25 GB/s), from 100 generation 5 (50).
  double nvlink_bandwidth = 25e9;
  double nvlink5_bandwidth = 50e9;
  /// B/s per direction of one xGMI link, by the GPU's gcn: below 910 MI50 to MI100 (46 GB/s), 910 MI200 (50), 94x MI300 (64),
  /// 95x MI350 (76.5). AMD CDNA white papers, from memory for the first two; stas00/ml-engineering for the others.
  double xgmi_bandwidth = 46e9;
  double xgmi_mi200_bandwidth = 50e9;
  double xgmi_mi300_bandwidth = 64e9;
  double xgmi_mi350_bandwidth = 76.5e9;
  double default_pcie_gt_s = 8;      ///< GT/s of a PCIe link that does not say: 3.0, as NCCL takes it (src/graph/topo.cc).
  int default_pcie_lanes = 16;       ///< Its lanes, where the width is missing or 0; as NCCL.
  double socket_bandwidth = 22e9;    ///< B/s per direction between NUMA nodes; as in PcieHostParameters.
  double pcie_latency_s = 1e-6;        ///< s a PCIe hop; as in PcieHostParameters.
  double scale_up_latency_s = 0.5e-6;  ///< s an NVLink or xGMI hop; as in NvlinkIslandParameters.
};

/// Reads the <system> that NCCL_TOPO_DUMP_FILE writes or NCCL_TOPO_FILE reads: cpu, nested pci, gpu, nic, net, nvlink, xgmi, c2c.
///
/// Cloud files stop at pci and leave the rest to NCCL: a class 0x0302, 0x0380 or 0x1200 is then an accelerator, 0x0200 or 0x0207 a
/// NIC, 0x0604 a switch, 0x0680 an NVSwitch, no class a node of unknown kind (noted). An nvlink to an NVSwitch (class 0x0680) goes to one vertex
/// for each of its bus ids; one to a GPU that the file does not have is reported and left out.
std::optional<Topology> import_nccl_xml(std::string_view text, std::string_view file, const NcclXmlParameters& parameters,
                                        Diagnostics& diagnostics);

/// GT/s of "16 GT/s" or "16.0 GT/s PCIe"; nothing for "", "Unknown" and the like.
std::optional<double> pcie_transfers(std::string_view link_speed);

/// B/s per direction of a PCIe link.
double pcie_bandwidth(double gt_s, int lanes);

}  // namespace rackwright::topologies
