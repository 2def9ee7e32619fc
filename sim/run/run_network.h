#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "scenarios/check/fabric_plan.h"
#include "scenarios/results/run_summary.h"
#include "sim/fabric/device_fabric.h"
#include "sim/run/kv_transports.h"
#include "sim/run/network_loads.h"
#include "sim/run/node_traffic.h"

namespace rackwright::run {

/// The network of a run, before time passes: that of the hall (null where no transfer takes it), and who moves KV.
struct NetworkSetup {
  std::shared_ptr<const topologies::Hall> hall;  ///< What `paths` looks at.
  std::shared_ptr<const topologies::DevicePaths> paths;
  fabric::FabricParameters parameters;
  std::vector<KvEnd> kv_ends;  ///< By instance.
  std::vector<InstanceTraffic> step_traffic;  ///< By instance; empty: none.
  std::optional<double> timeline_period_s;    ///< Absent: as the timeline chooses.
};
NetworkSetup network_setup(const scenarios::FabricPlan& plan, const scenarios::FabricSpec& spec);

/// What flows carried, after the run.
struct NetworkTraffic {
  double bytes = 0;
  std::vector<results::LinkLoad> links;  ///< By class of link; utilization over `length`.
  std::vector<fabric::LinkClassLoad> classes;
  NetworkLoads over_time;
};
NetworkTraffic traffic_of(const fabric::DeviceFabric& network, const NetworkLoads& over_time, SimTime length);

}  // namespace rackwright::run
