#pragma once

#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "topologies/builders/pcie_host.h"

namespace rackwright::topologies {

/// One scale-up domain: the hosts of one or more racks whose accelerators are joined by NVLink (or xGMI, UALink).
///
/// With switches, every accelerator spreads its links over all chips of its group, one plane per chip. More than one
/// group needs a second level: chip c of each group goes to the second-level switches of plane c.
/// Without switches every accelerator has links to every other one (a full mesh, as on an 8-OAM board).
struct NvlinkIslandParameters {
  PcieHostParameters host;
  int hosts = 1;
  int hosts_per_group = 0;        ///< Hosts behind the same first-level switches; 0: all.
  int hosts_per_rack = 0;         ///< Hosts in one rack; 0: all.
  int switches = 4;               ///< First-level chips per group. HGX H100/H200: 4; HGX B200: 2; NVL72: 18 (NVIDIA).
  int second_level_switches = 0;  ///< All planes together; a multiple of `switches`.
  int uplinks_per_switch = 0;     ///< Links from a first-level chip upwards; 0: as many as downwards.
  int links_per_accelerator = 18;   ///< H100 to B300: 18; A100: 12 (NVIDIA).
  double link_bandwidth = 25e9;     ///< B/s per direction of one link. NVLink 3 and 4: 25 GB/s, 5: 50, 6: 100 (NVIDIA).
  /// s; what a switch or an accelerator adds to a message that it passes: a store with its flag takes 1-2 µs
  /// over two links (secondary sources; no vendor figure).
  double hop_latency_s = 0.5e-6;
  LinkKind kind = LinkKind::nvlink;
  Cable cable = Cable::board;         ///< NVL72 and its like: backplane.
  Cable second_level_cable = Cable::active_copper;
  bool reduces = true;                ///< NVLink SHARP: NVSwitch generation 3 and later (NVIDIA).
};

void check(const NvlinkIslandParameters& parameters, std::string_view path, Diagnostics& diagnostics);

/// Adds the hosts "name/host0" … (just `name` if there is one), their racks "name" or "name/rack0" …, and the switches.
std::vector<HostPorts> add_nvlink_island(TopologyBuilder& builder, const NvlinkIslandParameters& parameters, std::string_view name);

}  // namespace rackwright::topologies
