#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/cost/transfer_mechanism.h"
#include "topologies/builders/hall.h"
#include "topologies/graph/bundle.h"

namespace rackwright::topologies {

/// Where a transfer between two sets of devices runs.
enum class Reach : std::uint8_t {
  scale_up,   ///< Within one scale-up domain.
  host,       ///< Within one node, over its PCIe.
  torus,      ///< Over the neighbour links of one torus.
  scale_out,  ///< Over the NICs and the network between nodes.
  join,       ///< Over cables that two groups of racks have for each other.
  none,       ///< There is no way.
};
inline constexpr int reach_count = 5;  ///< Those that carry bytes.
std::string_view to_string(Reach reach);

/// One flow a transfer and pair of nodes, with the bandwidth of all rails that it uses, or one for each pair of devices.
/// Networks without rails know the second only.
enum class FlowGrouping : std::uint8_t { bundled, per_rail };

/// Transfer mechanisms of one group of racks.
using MechanismTable = std::array<cost::TransferSpec, cost::transfer_mechanism_count>;

/// Bytes from one set of devices to another, spread evenly over both.
struct DeviceTransfer {
  DeviceSet from;
  DeviceSet to;
  double bytes = 0;             ///< All of them together, at least 0.
  double rate_cap = 0;          ///< Bytes per second of the whole transfer; 0 means none.
  std::uint64_t flow = 0;       ///< What the hash of equal-cost paths sees.
  std::optional<cost::TransferMechanism> mechanism{};  ///< Absent: what `default_mechanism` says.
};

/// How devices of a hall reach each other: over what, between which vertices, and how fast when nothing else runs. Pure.
///
/// A set of devices has ports: into its scale-up domains, its host's PCIe and its share of its node's NICs, each as wide
/// as those of its devices together. A transfer takes the port of its sender, a path, and the port of its receiver. Its
/// mechanism adds a start and bounds its rate by what the mechanism reaches of the narrower end.
class DevicePaths {
 public:
  /// The hall outlives the paths. One table of mechanisms for each of its groups; a mechanism for each of its joins, RDMA
  /// where none is given.
  DevicePaths(const Hall& hall, std::vector<MechanismTable> mechanisms, FlowGrouping grouping,
              std::vector<cost::TransferMechanism> join_mechanisms = {});

  Reach reach(const DeviceSet& from, const DeviceSet& to) const;
  /// Copy engines inside a domain or node, a join's own over it, RDMA between nodes and in a torus.
  cost::TransferMechanism default_mechanism(const DeviceSet& from, const DeviceSet& to) const;
  /// Whether the mechanism works there.
  static bool works(cost::TransferMechanism mechanism, Reach reach);
  const cost::TransferSpec& mechanism(int group, cost::TransferMechanism mechanism) const;

  /// What the devices of a set can send or receive together; 0 where nothing of their own bounds it.
  double port_bandwidth(const DeviceSet& set, Reach reach) const;
  /// Start and greatest rate of the whole transfer, by its mechanism and cap.
  cost::TransferTerms terms(const DeviceTransfer& transfer, Reach reach) const;

  /// The network that flows use: the hall's, or the one with its rails bundled.
  const Topology& network() const { return bundle_ ? bundle_->topology : hall_.topology; }
  struct Ends {
    VertexIndex from;
    VertexIndex to;
    bool operator==(const Ends&) const = default;
  };
  /// The ends of the flows over the network, one for each pair of device and card, equal ones once.
  std::vector<Ends> ends(const DeviceTransfer& transfer, Reach reach) const;

  /// Seconds of the transfer when nothing else runs; nothing where there is no way.
  std::optional<double> undisturbed_seconds(const DeviceTransfer& transfer) const;

 private:
  const HallGroup& group(int index) const { return hall_.groups[static_cast<std::size_t>(index)]; }
  const HallJoin* join_between(int from, int to) const;
  VertexIndex in_network(VertexIndex vertex) const { return bundle_ ? bundle_->vertex_of[vertex.value] : vertex; }
  void add_lanes(const DeviceSet& set, Reach reach, const HallJoin* join, std::vector<VertexIndex>& lanes) const;

  const Hall& hall_;
  std::vector<MechanismTable> mechanisms_;
  std::vector<cost::TransferMechanism> join_mechanisms_;
  std::optional<Bundle> bundle_;
};

}  // namespace rackwright::topologies
