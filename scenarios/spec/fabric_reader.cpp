#include "scenarios/spec/fabric_reader.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/fabric.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

using topologies::HallGroupParameters;

/// As a catalog names link technologies: "NVLink4", "xGMI mesh of 7", "ICI 3-D torus of 6 links", "C2C 16 links", "PCIe 5".
topologies::LinkKind link_kind(const std::string& technology) {
  if (technology.starts_with("NVLink")) return topologies::LinkKind::nvlink;
  if (technology.starts_with("xGMI")) return topologies::LinkKind::xgmi;
  if (technology.starts_with("ICI")) return topologies::LinkKind::ici;
  if (technology.starts_with("C2C")) return topologies::LinkKind::chip_to_chip;
  if (technology.starts_with("PCIe")) return topologies::LinkKind::pcie;
  return topologies::LinkKind::other;
}

HallGroupParameters group_parameters(const RackGroupSpec& racks) {
  HallGroupParameters group;
  group.name = racks.name;
  group.racks = racks.racks;
  group.nodes_per_rack = racks.nodes_per_rack;
  group.devices_per_node = racks.devices_per_node;
  group.island_devices = racks.scale_up_devices;
  group.scale_up_bandwidth = racks.device.scale_up_bytes_per_s.value_or(0);
  group.scale_up_latency_s = racks.scale_up_latency_s.value_or(0);
  group.scale_up_link = link_kind(racks.device.scale_up_link);
  group.scale_up_reduces = racks.in_network_reduction;
  group.host_bandwidth = racks.device.host_link_bytes_per_s.value_or(0);
  if (racks.nic_bytes_per_s) {
    group.nics_per_node = racks.nics_per_node;
    group.nic_bandwidth = *racks.nic_bytes_per_s;
  }
  return group;
}

/// Dimensions whose product is `devices`, the largest as small as it can be.
std::array<int, 3> near_cube(int devices, int dimensions) {
  std::array<int, 3> size{devices, 1, 1};
  int rest = devices;
  for (int d = dimensions; d > 1; --d) {
    int side = std::max(1, static_cast<int>(std::lround(std::pow(rest, 1.0 / d))));
    while (side > 1 && rest % side != 0) --side;
    size[static_cast<std::size_t>(d - 1)] = side;
    rest /= side;
  }
  size[0] = rest;
  return size;
}

/// Chips of one node as a block of the torus: factors of two, then of what is left, along the first dimension that they divide.
std::array<int, 3> node_shape(int devices, const std::array<int, 3>& size) {
  std::array<int, 3> shape{1, 1, 1};
  for (int factor = 2; devices > 1; devices % factor == 0 ? devices /= factor : ++factor) {
    if (devices % factor != 0) continue;
    std::size_t best = 3;
    for (std::size_t d = 0; d < 3; ++d) {
      if (size[d] % (shape[d] * factor) == 0 && (best == 3 || shape[d] < shape[best])) best = d;
    }
    if (best == 3) return {0, 0, 0};
    shape[best] *= factor;
  }
  return shape;
}

class FabricReader {
 public:
  FabricReader(const v1::Fabric& fabric, const HallSpec& hall, Findings& findings)
      : fabric_(fabric), written_(fabric.scale_out()), hall_(hall), findings_(findings) {}

  FabricSpec read(bool is_given) {
    spec_.is_given = is_given;
    for (const RackGroupSpec& racks : hall_.groups) spec_.hall.groups.push_back(group_parameters(racks));
    keep_only_named_racks();
    read_scale_out();
    for (int i = 0; i < fabric_.join_size(); ++i) read_join(fabric_.join(i), fmt::format("fabric.join[{}]", i));
    const v1::Mechanisms& mechanisms = fabric_.mechanisms();
    read_mechanism(mechanisms.copy_engine(), cost::TransferMechanism::copy_engine);
    read_mechanism(mechanisms.sm_stores(), cost::TransferMechanism::sm_stores);
    read_mechanism(mechanisms.tma(), cost::TransferMechanism::tma);
    read_mechanism(mechanisms.rdma(), cost::TransferMechanism::rdma);
    read_mechanism(mechanisms.tcp(), cost::TransferMechanism::tcp);
    return std::move(spec_);
  }

 private:
  using Field = v1::ScaleOut;

  std::optional<int> group_named(const std::string& name, const std::string& path) {
    const std::optional<int> group = hall_.find(name);
    if (group) return group;
    std::vector<std::string> names;
    for (const RackGroupSpec& racks : hall_.groups) names.push_back(racks.name);
    findings_.error(path, fmt::format("no rack is called '{}'", name), name_hint(name, names));
    return std::nullopt;
  }

  void keep_only_named_racks() {
    if (written_.racks_size() == 0) return;
    std::vector<bool> is_on(hall_.groups.size(), false);
    for (int i = 0; i < written_.racks_size(); ++i) {
      const std::string path = fmt::format("fabric.scale_out.racks[{}]", i);
      const std::optional<int> group = group_named(written_.racks(i), path);
      if (!group) continue;
      is_on[static_cast<std::size_t>(*group)] = true;
      if (spec_.hall.groups[static_cast<std::size_t>(*group)].nics_per_node == 0 && !is_torus())
        findings_.error(path, fmt::format("the nodes of '{}' have no network cards", written_.racks(i)),
                        fmt::format("give facility.racks.{}.rack.node.nic and nics", written_.racks(i)));
    }
    for (std::size_t g = 0; g < is_on.size(); ++g)
      if (!is_on[g]) spec_.hall.groups[g].nics_per_node = 0;
  }

  bool is_torus() const {
    const auto topology = effective_choice<v1::FabricTopology>(written_, Field::kTopologyFieldNumber);
    return topology == v1::FABRIC_TOPOLOGY_TORUS_2D || topology == v1::FABRIC_TOPOLOGY_TORUS_3D;
  }

  void read_scale_out() {
    const auto topology = effective_choice<v1::FabricTopology>(written_, Field::kTopologyFieldNumber);
    switch (topology) {
      case v1::FABRIC_TOPOLOGY_FAT_TREE: read_switches(topologies::ScaleOutKind::fat_tree); break;
      case v1::FABRIC_TOPOLOGY_DRAGONFLY: read_switches(topologies::ScaleOutKind::dragonfly); break;
      case v1::FABRIC_TOPOLOGY_DRAGONFLY_PLUS: read_switches(topologies::ScaleOutKind::dragonfly_plus); break;
      case v1::FABRIC_TOPOLOGY_TORUS_2D: read_torus(2); break;
      case v1::FABRIC_TOPOLOGY_TORUS_3D: read_torus(3); break;
      case v1::FABRIC_TOPOLOGY_FILE:
        spec_.file = written_.file();
        if (!written_.has_file()) findings_.error("fabric.scale_out", "the topology is 'file', but no file is given", "set fabric.scale_out.file");
        break;
      case v1::FABRIC_TOPOLOGY_NONE:
        for (HallGroupParameters& group : spec_.hall.groups) group.nics_per_node = 0;
        break;
      default: read_switches(topologies::ScaleOutKind::rail_leaf_spine);
    }
    switch (effective_choice<v1::PathChoice>(written_, Field::kPathFieldNumber)) {
      case v1::PATH_CHOICE_DETERMINISTIC: spec_.routing.choice = topologies::PathChoice::deterministic; break;
      case v1::PATH_CHOICE_ADAPTIVE: spec_.routing.choice = topologies::PathChoice::least_loaded; break;
      default: spec_.routing.choice = topologies::PathChoice::ecmp;
    }
    spec_.routing.detours = static_cast<int>(effective_count(written_, Field::kDetoursFieldNumber));
    spec_.reroute_delay_s = effective_quantity(written_, Field::kRerouteDelayFieldNumber);
    if (effective_choice<v1::FlowGrouping>(written_, Field::kFlowsFieldNumber) == v1::FLOW_GROUPING_PER_RAIL)
      spec_.grouping = topologies::FlowGrouping::per_rail;
  }

  void read_switches(topologies::ScaleOutKind kind) {
    topologies::ScaleOutParameters scale_out;
    scale_out.kind = kind;
    if (written_.has_rails()) scale_out.rails = written_.rails();
    if (written_.has_hosts_per_pod()) scale_out.hosts_per_pod = written_.hosts_per_pod();
    scale_out.oversubscription = effective_quantity(written_, Field::kOversubscriptionFieldNumber);
    scale_out.switch_ports = static_cast<int>(effective_count(written_, Field::kSwitchPortsFieldNumber));
    scale_out.switch_latency_s = effective_quantity(written_, Field::kSwitchLatencyFieldNumber);
    scale_out.nic_latency_s = effective_quantity(written_, Field::kNicLatencyFieldNumber);
    scale_out.reduces = effective_truth(written_, Field::kInNetworkReductionFieldNumber);
    // Without a figure of its own, the network is as fast as its fastest card; slower cards bound their own traffic.
    double fastest = 0;
    for (HallGroupParameters& group : spec_.hall.groups) {
      if (written_.has_link()) group.nic_bandwidth = std::min(group.nic_bandwidth, written_.link());
      if (group.nics_per_node > 0) fastest = std::max(fastest, group.nic_bandwidth);
    }
    scale_out.bandwidth = written_.has_link() ? written_.link() : fastest;
    if (fastest > 0) spec_.hall.scale_out = scale_out;
    else if (spec_.is_given && fabric_.has_scale_out())
      findings_.error("fabric.scale_out", "no node of the hall has network cards", "give a rack's node 'nic' and 'nics', or leave scale_out out");
  }

  void read_torus(int dimensions) {
    for (std::size_t g = 0; g < spec_.hall.groups.size(); ++g) {
      HallGroupParameters& group = spec_.hall.groups[g];
      const bool is_on = written_.racks_size() == 0 || std::ranges::find(written_.racks(), group.name) != written_.racks().end();
      if (!is_on || group.devices() == 0) continue;
      topologies::TorusParameters torus;
      torus.size = near_cube(group.devices(), dimensions);
      if (written_.size_size() > 0) {
        torus.size = {1, 1, 1};
        for (int d = 0; d < std::min(3, written_.size_size()); ++d) torus.size[static_cast<std::size_t>(d)] = written_.size(d);
      }
      const double devices = 1.0 * torus.size[0] * torus.size[1] * torus.size[2];
      if (written_.size_size() > dimensions || devices != group.devices()) {
        findings_.error("fabric.scale_out.size", fmt::format("a torus of this size has {:.0f} devices, '{}' has {}", devices, group.name, group.devices()));
        continue;
      }
      torus.host_shape = node_shape(group.devices_per_node, torus.size);
      if (torus.host_shape[0] == 0) {
        findings_.error("fabric.scale_out.size", fmt::format("nodes of {} devices do not divide a torus of {} x {} x {}", group.devices_per_node,
                                                             torus.size[0], torus.size[1], torus.size[2]));
        continue;
      }
      torus.rack_shape = torus.host_shape;
      torus.nics_per_host = 0;
      group.nics_per_node = 0;
      // A device spreads its scale-up bandwidth over two links a dimension.
      const double links = 2 * dimensions;
      torus.link_bandwidth = written_.has_link() ? written_.link() : group.scale_up_bandwidth / links;
      if (written_.has_switch_latency()) torus.hop_latency_s = written_.switch_latency();
      torus.kind = group.scale_up_link;
      if (torus.link_bandwidth > 0) group.torus = torus;
      else findings_.error("fabric.scale_out", fmt::format("the catalog does not know the links of '{}'", group.name), "set fabric.scale_out.link");
    }
  }

  void read_join(const v1::Join& written, const std::string& path) {
    const std::optional<int> from = group_named(written.from(), path + ".from");
    const std::optional<int> to = group_named(written.to(), path + ".to");
    if (!from || !to) return;
    if (*from == *to) {
      findings_.error(path + ".to", "a join is between two different groups of racks");
      return;
    }
    for (const topologies::HallJoinParameters& other : spec_.hall.joins) {
      if (std::minmax(other.from, other.to) == std::minmax(*from, *to))
        findings_.error(path, fmt::format("'{}' and '{}' are joined already", written.from(), written.to()), "give one join all their cables");
    }
    topologies::HallJoinParameters join;
    join.from = *from;
    join.to = *to;
    join.links = written.links();
    join.bandwidth = written.link();
    join.latency_s = effective_quantity(written, v1::Join::kLatencyFieldNumber);
    spec_.hall.joins.push_back(join);
    const std::string mechanism = effective_written(written, v1::Join::kMechanismFieldNumber);
    spec_.join_mechanisms.push_back(*cost::parse_transfer_mechanism(mechanism));
    if (cost::is_device_initiated(spec_.join_mechanisms.back()))
      findings_.error(path + ".mechanism", fmt::format("'{}' does not reach from node to node", mechanism), "rdma or tcp do");
  }

  void read_mechanism(const v1::MechanismFigures& written, cost::TransferMechanism mechanism) {
    MechanismOverride& figures = spec_.mechanisms[static_cast<std::size_t>(mechanism)];
    if (written.has_start_up()) figures.start_s = written.start_up();
    if (written.has_efficiency()) figures.link_fraction = written.efficiency();
    if (written.has_node_limit()) figures.node_bytes_per_s = written.node_limit();
    if (written.has_sms()) figures.sms = written.sms();
  }

  const v1::Fabric& fabric_;
  const v1::ScaleOut& written_;
  const HallSpec& hall_;
  Findings& findings_;
  FabricSpec spec_;
};

}  // namespace

FabricSpec fabric_spec(const v1::Fabric& fabric, bool is_given, const HallSpec& hall, Findings& findings) {
  return FabricReader(fabric, hall, findings).read(is_given);
}

}  // namespace rackwright::scenarios
