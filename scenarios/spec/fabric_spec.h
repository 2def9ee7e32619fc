#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/cost/transfer_mechanism.h"
#include "topologies/builders/hall.h"
#include "topologies/routing/device_paths.h"
#include "topologies/routing/router.h"

namespace rackwright::scenarios {

/// What the scenario says of a mechanism in place of measured or published figures.
struct MechanismOverride {
  std::optional<double> start_s;
  std::optional<double> link_fraction;
  std::optional<double> node_bytes_per_s;
  std::optional<int> sms;
};

/// The network of the hall as the scenario gives it, with what follows from its racks. Joins are in the scenario's order.
struct FabricSpec {
  bool is_given = false;                ///< Else all of it is derived, and built only if pools talk to each other.
  topologies::HallParameters hall;      ///< Without the network of `file`.
  std::string file;                     ///< A topology to read; "" for none.
  topologies::RoutingParameters routing;
  topologies::FlowGrouping grouping = topologies::FlowGrouping::bundled;
  double reroute_delay_s = 0;
  std::vector<cost::TransferMechanism> join_mechanisms;
  std::array<MechanismOverride, cost::transfer_mechanism_count> mechanisms;
};

}  // namespace rackwright::scenarios
