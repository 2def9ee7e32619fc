#include "topologies/builders/fabric_catalog.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/names.h"
#include "topologies/builders/chip_mesh.h"
#include "topologies/builders/parameter_check.h"
#include "topologies/builders/presets.h"
#include "topologies/builders/scale_out.h"
#include "topologies/builders/wafer_mesh.h"

namespace rackwright::topologies {

namespace {

double number(const FabricValues& values, std::string_view name) { return values.find(name)->second; }
int count(const FabricValues& values, std::string_view name) { return static_cast<int>(std::lround(number(values, name))); }

// ---- networks between hosts

std::optional<Topology> scale_out(ScaleOutKind kind, const FabricValues& values, Diagnostics& diagnostics) {
  ScaleOutParameters p;
  p.kind = kind;
  p.bandwidth = number(values, "link");
  p.switch_latency_s = number(values, "switch_latency");
  if (values.contains("rails")) p.rails = count(values, "rails");
  if (values.contains("hosts_per_pod")) p.hosts_per_pod = count(values, "hosts_per_pod");
  if (values.contains("switch_ports")) p.switch_ports = count(values, "switch_ports");
  if (values.contains("oversubscription")) p.oversubscription = number(values, "oversubscription");
  const int hosts = count(values, "hosts");
  const int nics = count(values, "nics");
  ParameterCheck sizes("", diagnostics);
  sizes.at_least("hosts", hosts, 1);
  sizes.at_least("nics", nics, 1);
  if (!diagnostics.has_errors()) check(p, hosts, nics, "", diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  TopologyBuilder builder;
  const std::vector<HostPorts> ports = add_bare_hosts(builder, "host", hosts, nics);
  add_scale_out(builder, p, ports, "net");
  return builder.build();
}

template <ScaleOutKind kind>
std::optional<Topology> build_scale_out(const FabricValues& values, Diagnostics& diagnostics) {
  return scale_out(kind, values, diagnostics);
}

std::vector<FabricParameter> network_parameters(bool has_tiers) {
  const ScaleOutParameters defaults;
  std::vector<FabricParameter> parameters{{"hosts", "", 32, "Hosts"},
                                          {"nics", "", 8, "Network cards of a host"},
                                          {"link", "B/s", defaults.bandwidth, "Bandwidth of every cable per direction"},
                                          {"switch_latency", "s", defaults.switch_latency_s, "What a switch adds to a message"}};
  if (has_tiers) parameters.push_back({"oversubscription", "", defaults.oversubscription, "Bandwidth down over bandwidth up at the leaves"});
  return parameters;
}

std::vector<FabricParameter> leaf_spine_parameters() {
  std::vector<FabricParameter> parameters = network_parameters(true);
  parameters.push_back({"rails", "", 0, "Leaves of a pod; 0: the cards of a host"});
  parameters.push_back({"hosts_per_pod", "", 0, "Hosts below one set of leaves; 0: as many as their ports allow"});
  parameters.push_back({"switch_ports", "", 64, "Ports of a switch"});
  return parameters;
}

// ---- devices wired to devices

std::optional<Topology> island(NvlinkIslandParameters p, const FabricValues& values, Diagnostics& diagnostics) {
  p.hosts = count(values, "hosts");
  p.host.accelerators = count(values, "accelerators");
  p.host.nics = count(values, "nics");
  p.switches = count(values, "switches");
  p.links_per_accelerator = count(values, "links");
  p.link_bandwidth = number(values, "link");
  p.hop_latency_s = number(values, "hop_latency");
  check(p, "", diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  TopologyBuilder builder;
  add_nvlink_island(builder, p, "island");
  return builder.build();
}

std::vector<FabricParameter> island_parameters(const NvlinkIslandParameters& p) {
  return {{"hosts", "", static_cast<double>(p.hosts), "Hosts of the domain"},
          {"accelerators", "", static_cast<double>(p.host.accelerators), "Accelerators of a host"},
          {"nics", "", static_cast<double>(p.host.nics), "Network cards of a host"},
          {"switches", "", static_cast<double>(p.switches), "Switch chips of the first level; 0: a full mesh"},
          {"links", "", static_cast<double>(p.links_per_accelerator), "Links of an accelerator"},
          {"link", "B/s", p.link_bandwidth, "Bandwidth of one link per direction"},
          {"hop_latency", "s", p.hop_latency_s, "What a switch or an accelerator adds to a message"}};
}

template <NvlinkIslandParameters (*preset)()>
std::optional<Topology> build_island(const FabricValues& values, Diagnostics& diagnostics) {
  return island(preset(), values, diagnostics);
}

template <NvlinkIslandParameters (*preset)()>
FabricEntry island_entry(std::string name, std::string title) {
  return {std::move(name), std::move(title), island_parameters(preset()), build_island<preset>};
}

std::optional<Topology> torus(TorusParameters p, const FabricValues& values, Diagnostics& diagnostics) {
  p.size = {count(values, "x"), count(values, "y"), count(values, "z")};
  p.link_bandwidth = number(values, "link");
  p.hop_latency_s = number(values, "hop_latency");
  check(p, "", diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  TopologyBuilder builder;
  add_torus(builder, p, "torus");
  return builder.build();
}

TorusParameters plain_torus() {
  TorusParameters p;
  p.host_shape = {1, 1, 1};
  return p;
}

template <TorusParameters (*preset)()>
std::optional<Topology> build_torus(const FabricValues& values, Diagnostics& diagnostics) {
  return torus(preset(), values, diagnostics);
}

template <TorusParameters (*preset)()>
FabricEntry torus_entry(std::string name, std::string title) {
  const TorusParameters p = preset();
  const auto side = [&](std::size_t d) { return static_cast<double>(p.size[d]); };
  return {std::move(name),
          std::move(title),
          {{"x", "", side(0), "Devices in the first dimension"},
           {"y", "", side(1), "Devices in the second dimension"},
           {"z", "", side(2), "Devices in the third dimension; 1 for two"},
           {"link", "B/s", p.link_bandwidth, "Bandwidth of a neighbour link per direction"},
           {"hop_latency", "s", p.hop_latency_s, "What a hop takes"}},
          build_torus<preset>};
}

std::optional<Topology> build_chip_mesh(const FabricValues& values, Diagnostics& diagnostics) {
  ChipMeshParameters p;
  p.chips_per_node = count(values, "chips");
  p.nodes_per_group = count(values, "nodes");
  p.groups = count(values, "groups");
  p.link_bandwidth = number(values, "link");
  p.hop_latency_s = number(values, "hop_latency");
  check(p, "", diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  TopologyBuilder builder;
  add_chip_mesh(builder, p, "mesh");
  return builder.build();
}

std::optional<Topology> build_wafer(const FabricValues& values, Diagnostics& diagnostics) {
  WaferMeshParameters p;
  p.columns = count(values, "columns");
  p.rows = count(values, "rows");
  p.nics = count(values, "nics");
  check(p, "", diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  TopologyBuilder builder;
  add_wafer_mesh(builder, p, "wafer");
  return builder.build();
}

FabricEntry chip_mesh_entry() {
  const ChipMeshParameters p;
  return {"chip-mesh",
          "Accelerators wired chip to chip in nodes, groups and a system; by default one GroqRack",
          {{"chips", "", static_cast<double>(p.chips_per_node), "Chips of a node"},
           {"nodes", "", static_cast<double>(p.nodes_per_group), "Nodes of a group"},
           {"groups", "", static_cast<double>(p.groups), "Groups"},
           {"link", "B/s", p.link_bandwidth, "Bandwidth of one link per direction"},
           {"hop_latency", "s", p.hop_latency_s, "What a hop takes"}},
          build_chip_mesh};
}

FabricEntry wafer_entry() {
  const WaferMeshParameters p;
  return {"wafer-mesh",
          "One wafer as a mesh of regions; by default a WSE-3",
          {{"columns", "", static_cast<double>(p.columns), "Regions across"},
           {"rows", "", static_cast<double>(p.rows), "Regions down"},
           {"nics", "", static_cast<double>(p.nics), "Network cards at its edge"}},
          build_wafer};
}

const std::vector<FabricEntry>& entries() {
  static const std::vector<FabricEntry> all{
      {"rail-leaf-spine", "Rail-optimized leaf-spine of two or three tiers", leaf_spine_parameters(), build_scale_out<ScaleOutKind::rail_leaf_spine>},
      {"fat-tree", "k-ary fat-tree, the smallest that holds all cards", network_parameters(true), build_scale_out<ScaleOutKind::fat_tree>},
      {"dragonfly", "Balanced dragonfly (a = 2p = 2h)", network_parameters(false), build_scale_out<ScaleOutKind::dragonfly>},
      {"dragonfly-plus", "Dragonfly of two-tier groups", network_parameters(false), build_scale_out<ScaleOutKind::dragonfly_plus>},
      torus_entry<plain_torus>("torus", "Two- or three-dimensional torus of devices"),
      chip_mesh_entry(),
      wafer_entry(),
      island_entry<hgx_h200>("hgx-h200", "HGX H100 or H200: 8 GPUs over 4 NVSwitches"),
      island_entry<hgx_b200>("hgx-b200", "HGX B200: 8 GPUs over 2 NVSwitches"),
      island_entry<gb200_nvl72>("gb200-nvl72", "GB200 NVL72: 72 GPUs over 18 NVSwitches"),
      island_entry<vr_nvl72>("vr-nvl72", "Vera Rubin NVL72"),
      island_entry<nvl576>("nvl576", "Eight NVL72 racks under a second NVLink level, which is assumed"),
      island_entry<mi300x_oam>("mi300x-oam", "8 MI300X, each joined to the 7 others"),
      torus_entry<tpu_v5e_pod>("tpu-v5e-pod", "TPU v5e pod: 16 x 16"),
      torus_entry<tpu_v7_pod>("tpu-v7-pod", "TPU v7 pod: 9,216 chips in cubes of 4 x 4 x 4")};
  return all;
}

}  // namespace

std::span<const FabricEntry> fabric_catalog() { return entries(); }

const FabricEntry* find_fabric(std::string_view name) {
  const auto found = std::ranges::find(entries(), name, &FabricEntry::name);
  return found == entries().end() ? nullptr : &*found;
}

std::optional<Topology> build_fabric(const FabricEntry& entry, const FabricValues& given, Diagnostics& diagnostics) {
  FabricValues values;
  std::vector<std::string> names;
  for (const FabricParameter& parameter : entry.parameters) {
    values[parameter.name] = parameter.value;
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : given) {
    const auto known = std::ranges::find(entry.parameters, name, &FabricParameter::name);
    if (known == entry.parameters.end()) {
      diagnostics.error({}, name, fmt::format("'{}' has no parameter '{}'", entry.name, name), name_hint(name, names));
      continue;
    }
    const bool is_whole = known->unit.empty() && known->name != "oversubscription";
    if (!std::isfinite(value) || std::abs(value) > 1e18 || (is_whole && (value != std::round(value) || std::abs(value) > 1e9)))
      diagnostics.error({}, name, fmt::format("{:g} is not a {}", value, is_whole ? "whole number of sensible size" : "sensible value"));
    values[name] = value;
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return entry.build(values, diagnostics);
}

}  // namespace rackwright::topologies
