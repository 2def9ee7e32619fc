#include "topologies/builders/fabric_catalog.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

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

FabricEntry network(const char* name, const char* title, ScaleOutKind kind, std::vector<FabricParameter> parameters) {
  return {name, title, std::move(parameters),
          [kind](const FabricValues& values, Diagnostics& diagnostics) { return scale_out(kind, values, diagnostics); }};
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

using Slot = std::variant<int*, double*>;

/// A number of the parameters of one builder.
template <class Parameters>
struct Field {
  const char* name;
  const char* unit;
  const char* help;
  Slot (*of)(Parameters&);
};

/// An entry whose parameters are fields of what its builder takes, with `preset` as their defaults.
template <class Parameters, class Add>
FabricEntry wired(const char* name, const char* title, const Parameters& preset, const std::vector<Field<Parameters>>& fields, Add add) {
  FabricEntry entry{name, title, {}, {}};
  for (const Field<Parameters>& field : fields) {
    Parameters p = preset;
    entry.parameters.push_back({field.name, field.unit, std::visit([](auto* value) { return static_cast<double>(*value); }, field.of(p)), field.help});
  }
  entry.build = [preset, fields, add](const FabricValues& values, Diagnostics& diagnostics) -> std::optional<Topology> {
    Parameters p = preset;
    for (const Field<Parameters>& field : fields) {
      const auto slot = field.of(p);
      if (int* const* whole = std::get_if<int*>(&slot)) **whole = count(values, field.name);
      else *std::get<double*>(slot) = number(values, field.name);
    }
    check(p, "", diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    TopologyBuilder builder;
    add(builder, p);
    return builder.build();
  };
  return entry;
}

FabricEntry island(const char* name, const char* title, const NvlinkIslandParameters& preset) {
  using P = NvlinkIslandParameters;
  return wired<P>(name, title, preset,
                  {{"hosts", "", "Hosts of the domain", [](P& p) -> Slot { return &p.hosts; }},
                   {"accelerators", "", "Accelerators of a host", [](P& p) -> Slot { return &p.host.accelerators; }},
                   {"nics", "", "Network cards of a host", [](P& p) -> Slot { return &p.host.nics; }},
                   {"switches", "", "Switch chips of the first level; 0: a full mesh", [](P& p) -> Slot { return &p.switches; }},
                   {"links", "", "Links of an accelerator", [](P& p) -> Slot { return &p.links_per_accelerator; }},
                   {"link", "B/s", "Bandwidth of one link per direction", [](P& p) -> Slot { return &p.link_bandwidth; }},
                   {"hop_latency", "s", "What a switch or an accelerator adds to a message", [](P& p) -> Slot { return &p.hop_latency_s; }}},
                  [](TopologyBuilder& builder, const P& p) { add_nvlink_island(builder, p, "island"); });
}

TorusParameters plain_torus() {
  TorusParameters p;
  p.host_shape = {1, 1, 1};
  return p;
}

FabricEntry torus(const char* name, const char* title, const TorusParameters& preset) {
  using P = TorusParameters;
  return wired<P>(name, title, preset,
                  {{"x", "", "Devices in the first dimension", [](P& p) -> Slot { return &p.size[0]; }},
                   {"y", "", "Devices in the second dimension", [](P& p) -> Slot { return &p.size[1]; }},
                   {"z", "", "Devices in the third dimension; 1 for two", [](P& p) -> Slot { return &p.size[2]; }},
                   {"link", "B/s", "Bandwidth of a neighbour link per direction", [](P& p) -> Slot { return &p.link_bandwidth; }},
                   {"hop_latency", "s", "What a hop takes", [](P& p) -> Slot { return &p.hop_latency_s; }}},
                  [](TopologyBuilder& builder, const P& p) { add_torus(builder, p, "torus"); });
}

FabricEntry chip_mesh() {
  using P = ChipMeshParameters;
  return wired<P>("chip-mesh", "Accelerators wired chip to chip in nodes, groups and a system; by default one GroqRack", P{},
                  {{"chips", "", "Chips of a node", [](P& p) -> Slot { return &p.chips_per_node; }},
                   {"nodes", "", "Nodes of a group", [](P& p) -> Slot { return &p.nodes_per_group; }},
                   {"groups", "", "Groups", [](P& p) -> Slot { return &p.groups; }},
                   {"link", "B/s", "Bandwidth of one link per direction", [](P& p) -> Slot { return &p.link_bandwidth; }},
                   {"hop_latency", "s", "What a hop takes", [](P& p) -> Slot { return &p.hop_latency_s; }}},
                  [](TopologyBuilder& builder, const P& p) { add_chip_mesh(builder, p, "mesh"); });
}

FabricEntry wafer() {
  using P = WaferMeshParameters;
  return wired<P>("wafer-mesh", "One wafer as a mesh of regions; by default a WSE-3", P{},
                  {{"columns", "", "Regions across", [](P& p) -> Slot { return &p.columns; }},
                   {"rows", "", "Regions down", [](P& p) -> Slot { return &p.rows; }},
                   {"nics", "", "Network cards at its edge", [](P& p) -> Slot { return &p.nics; }}},
                  [](TopologyBuilder& builder, const P& p) { add_wafer_mesh(builder, p, "wafer"); });
}

const std::vector<FabricEntry>& entries() {
  static const std::vector<FabricEntry> all{
      network("rail-leaf-spine", "Rail-optimized leaf-spine of two or three tiers", ScaleOutKind::rail_leaf_spine, leaf_spine_parameters()),
      network("fat-tree", "k-ary fat-tree, the smallest that holds all cards", ScaleOutKind::fat_tree, network_parameters(true)),
      network("dragonfly", "Balanced dragonfly (a = 2p = 2h)", ScaleOutKind::dragonfly, network_parameters(false)),
      network("dragonfly-plus", "Dragonfly of two-tier groups", ScaleOutKind::dragonfly_plus, network_parameters(false)),
      torus("torus", "Two- or three-dimensional torus of devices", plain_torus()),
      chip_mesh(),
      wafer(),
      island("hgx-h200", "HGX H100 or H200: 8 GPUs over 4 NVSwitches", hgx_h200()),
      island("hgx-b200", "HGX B200: 8 GPUs over 2 NVSwitches", hgx_b200()),
      island("gb200-nvl72", "GB200 NVL72: 72 GPUs over 18 NVSwitches", gb200_nvl72()),
      island("vr-nvl72", "Vera Rubin NVL72", vr_nvl72()),
      island("nvl576", "Eight NVL72 racks under a second NVLink level, which is assumed", nvl576()),
      island("mi300x-oam", "8 MI300X, each joined to the 7 others", mi300x_oam()),
      torus("tpu-v5e-pod", "TPU v5e pod: 16 x 16", tpu_v5e_pod()),
      torus("tpu-v7-pod", "TPU v7 pod: 9,216 chips in cubes of 4 x 4 x 4", tpu_v7_pod())};
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
