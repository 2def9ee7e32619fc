#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/spec/scenario_spec.h"
#include "topologies/builders/hall.h"
#include "topologies/routing/device_paths.h"

namespace rackwright::scenarios {

class Catalog;
class Findings;

/// Two pools whose devices send to each other.
struct PoolConnection {
  std::size_t from = 0;  ///< Pools.
  std::size_t to = 0;
  std::optional<cost::TransferMechanism> mechanism;  ///< Absent: what the way between them takes.
  std::string path;                                  ///< Where findings about it point: "deployment[1].kv_transfer".
  std::string what;                                  ///< What goes over it: "KV cache".
};

/// What a pair of connected pools can expect, first instance to first instance and nothing else running.
struct ConnectionPlan {
  PoolConnection connection;
  topologies::Reach reach = topologies::Reach::none;
  cost::TransferMechanism mechanism = cost::TransferMechanism::rdma;
  double bytes_per_s = 0;  ///< Of a transfer so long that its start does not count.
  double start_s = 0;      ///< Of one without bytes: the mechanism and the way.
};

/// The network of the hall, built. Shared, because simulations keep it longer than the check.
struct FabricPlan {
  std::shared_ptr<const topologies::Hall> hall;
  std::shared_ptr<const topologies::DevicePaths> paths;
  std::vector<ConnectionPlan> connections;
};

/// The devices of one instance.
topologies::DeviceSet device_set(const PoolSpec& pool, int instance);

/// Builds the network when the scenario gives one or pools are connected; nothing otherwise, or when there were errors:
/// a network that cannot be built, a file that cannot be read, a mechanism that does not reach, pools without a way between
/// any two of their instances.
std::optional<FabricPlan> plan_fabric(const ScenarioSpec& scenario, const std::vector<PoolConnection>& connections, const Catalog& catalog,
                                      const std::string& scenario_file, Findings& findings);

}  // namespace rackwright::scenarios
