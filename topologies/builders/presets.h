#pragma once

#include "topologies/builders/leaf_spine.h"
#include "topologies/builders/nvlink_island.h"
#include "topologies/builders/torus.h"

namespace rackwright::topologies {

/// Parameters of machines that exist. What a preset leaves alone is the default of its struct, with its source there.

NvlinkIslandParameters hgx_h200();     ///< 8 GPUs, NVLink 4 over 4 NVSwitches, PCIe 5.0 (NVIDIA).
NvlinkIslandParameters hgx_b200();     ///< 8 GPUs, NVLink 5 over 2 NVSwitches (SemiAnalysis InferenceX).
NvlinkIslandParameters gb200_nvl72();  ///< 18 trays of 4 GPUs and 2 Grace; 18 NVSwitch chips in 9 trays (NVIDIA).
NvlinkIslandParameters vr_nvl72();     ///< NVLink 6 (1.8 TB/s a GPU), NVLink-C2C 900 GB/s, PCIe 6.0 (stas00/ml-engineering).
/// Eight NVL72 racks under a second, non-blocking NVLink level: a domain of 576 as NVIDIA describes the NVLink Switch
/// System's reach. No such product is wired this way today: the second level is assumed.
NvlinkIslandParameters nvl576();
NvlinkIslandParameters mi300x_oam();   ///< 8 GPUs, each joined to the 7 others by xGMI of 64 GB/s (AMD).

TorusParameters tpu_v5e_pod();         ///< 16 x 16, ICI 45 GB/s a link (Google; Scaling Book). Hosts of 8 chips.
TorusParameters tpu_v7_pod();          ///< 16 x 16 x 36 = 9,216 chips in cubes of 4 x 4 x 4, ICI 100 GB/s a link (SemiAnalysis).

/// A three-tier, rail-optimized NDR fabric of 64-port switches for 2,048 hosts of 8 NICs: 8 blocks of 8 pods of 32 hosts,
/// non-blocking, spines and cores per rail. Derived from the two-tier SuperPOD.
LeafSpineParameters rail_fabric_16k();

}  // namespace rackwright::topologies
