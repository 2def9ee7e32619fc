#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "topologies/builders/scale_out.h"
#include "topologies/builders/torus.h"

namespace rackwright::topologies {

/// Equal racks, as far as the network is concerned. Nodes and devices count from 0 through the whole group.
struct HallGroupParameters {
  std::string name;
  int racks = 1;
  int nodes_per_rack = 1;
  int devices_per_node = 0;
  int island_devices = 1;            ///< Of one scale-up domain; divides the devices of a rack.
  double scale_up_bandwidth = 0;     ///< B/s per direction of one device into its domain; 0: it has none.
  double scale_up_latency_s = 0;     ///< One way between two devices of a domain.
  LinkKind scale_up_link = LinkKind::nvlink;
  bool scale_up_reduces = false;     ///< NVLink SHARP.
  double host_bandwidth = 0;         ///< B/s per direction of one device to its host; 0: not known.
  int nics_per_node = 0;             ///< On the scale-out network.
  double nic_bandwidth = 50e9;       ///< B/s per direction of one of them.
  std::optional<TorusParameters> torus;  ///< Devices wired to their neighbours and forwarding for each other.

  int nodes() const { return racks * nodes_per_rack; }
  int devices() const { return nodes() * devices_per_node; }
};

/// Cables from one group of racks to another that are not part of the scale-out network. Each node has its share of them,
/// at least one; both sides meet in patch switches that block nothing, between which all `links` run.
struct HallJoinParameters {
  int from = 0;  ///< Groups.
  int to = 0;
  int links = 1;
  double bandwidth = 50e9;  ///< B/s per direction of one cable.
  double latency_s = 1e-6;  ///< One way, from node to node.
  LinkKind link = LinkKind::ethernet;
};

struct HallParameters {
  std::vector<HallGroupParameters> groups;
  std::optional<ScaleOutParameters> scale_out;
  /// In place of `scale_out`: a network made elsewhere, whose endpoints are taken by the nodes in order, or by the
  /// devices where its endpoints are accelerators.
  std::optional<Topology> imported;
  std::vector<HallJoinParameters> joins;
};

/// Where the devices of a group stand in the topology.
struct HallGroup {
  HallGroupParameters parameters;
  std::vector<VertexIndex> accelerators;           ///< By device.
  std::vector<std::vector<VertexIndex>> nics;      ///< By node; empty inside a torus without a way out.
};

struct HallJoin {
  HallJoinParameters parameters;
  std::vector<VertexIndex> from_ports;  ///< By node of the group `from`.
  std::vector<VertexIndex> to_ports;    ///< By node of the group `to`.
};

/// A whole hall as one graph: scale-up domains, NICs, the network between them, and joins.
struct Hall {
  Topology topology;
  std::vector<HallGroup> groups;
  std::vector<HallJoin> joins;
};

/// Devices of one group, in order.
struct DeviceSet {
  int group = 0;
  int first = 0;
  int count = 1;
  auto operator<=>(const DeviceSet&) const = default;
};

/// Builds the hall, or says why it cannot be, at paths below `path`.
std::optional<Hall> build_hall(const HallParameters& parameters, std::string_view path, Diagnostics& diagnostics);

}  // namespace rackwright::topologies
