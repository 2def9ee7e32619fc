#include "topologies/builders/presets.h"

namespace rackwright::topologies {

NvlinkIslandParameters hgx_h200() { return {}; }

NvlinkIslandParameters hgx_b200() {
  NvlinkIslandParameters p;
  p.switches = 2;
  p.link_bandwidth = 50e9;
  return p;
}

NvlinkIslandParameters gb200_nvl72() {
  NvlinkIslandParameters p;
  p.host.processors = 2;
  p.host.pcie_switches = 0;
  p.host.accelerators = 4;
  p.host.nics = 4;
  p.host.c2c_bandwidth = 450e9;
  p.hosts = 18;
  p.switches = 18;
  p.link_bandwidth = 50e9;
  p.cable = Cable::backplane;
  return p;
}

NvlinkIslandParameters vr_nvl72() {
  NvlinkIslandParameters p = gb200_nvl72();
  p.host.c2c_bandwidth = 900e9;
  p.host.pcie_bandwidth = 121e9;
  p.link_bandwidth = 100e9;
  return p;
}

NvlinkIslandParameters nvl576() {
  NvlinkIslandParameters p = gb200_nvl72();
  p.hosts = 8 * 18;
  p.hosts_per_group = 18;
  p.hosts_per_rack = 18;
  p.second_level_switches = 8 * 18;
  return p;
}

NvlinkIslandParameters mi300x_oam() {
  NvlinkIslandParameters p;
  p.switches = 0;
  p.links_per_accelerator = 7;
  p.link_bandwidth = 64e9;
  p.kind = LinkKind::xgmi;
  p.reduces = false;
  return p;
}

TorusParameters tpu_v5e_pod() {
  TorusParameters p;
  p.size = {16, 16, 1};
  p.host_shape = {4, 2, 1};
  p.rack_shape = {8, 8, 1};
  p.link_bandwidth = 45e9;
  return p;
}

TorusParameters tpu_v7_pod() {
  TorusParameters p;
  p.size = {16, 16, 36};
  return p;
}

LeafSpineParameters rail_fabric_16k() {
  LeafSpineParameters p;
  p.pods_per_block = 8;
  p.spines_per_block = 64;
  p.cores = 256;
  p.uplinks_per_spine = 32;
  p.sharing = SpineSharing::per_rail;
  return p;
}

}  // namespace rackwright::topologies
