#pragma once

#include <memory>
#include <vector>

#include "scenarios/check/fabric_plan.h"
#include "scenarios/results/run_summary.h"
#include "sim/fabric/device_fabric.h"

namespace rackwright::run {

/// The network of a run, before time passes.
struct NetworkSetup {
  std::shared_ptr<const topologies::Hall> hall;  ///< What `paths` looks at.
  std::shared_ptr<const topologies::DevicePaths> paths;
  fabric::FabricParameters parameters;
  std::vector<topologies::DeviceSet> instances;  ///< The devices of every instance of the run.
};
NetworkSetup network_setup(const scenarios::FabricPlan& plan, const scenarios::ScenarioSpec& scenario);

/// What flows carried, after the run.
struct NetworkTraffic {
  double bytes = 0;
  std::vector<results::LinkLoad> links;  ///< By class of link; utilization over `length`.
};
NetworkTraffic traffic_of(const fabric::DeviceFabric& network, SimTime length);

}  // namespace rackwright::run
