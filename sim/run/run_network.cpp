#include "sim/run/run_network.h"

namespace rackwright::run {

NetworkSetup network_setup(const scenarios::FabricPlan& plan, const scenarios::FabricSpec& spec) {
  return {plan.hall, plan.paths, {spec.routing, sim_time(spec.reroute_delay_s)}, {}, {}, {}};
}

NetworkTraffic traffic_of(const fabric::DeviceFabric& network, const NetworkLoads& over_time, SimTime length) {
  NetworkTraffic traffic{0, {}, network.loads(), over_time};
  for (int reach = 0; reach < topologies::reach_count; ++reach) traffic.bytes += network.bytes_over(static_cast<topologies::Reach>(reach));
  for (const fabric::LinkClassLoad& load : traffic.classes) {
    const double could_carry = load.bytes_per_s * length.seconds();
    traffic.links.push_back({load.name, load.bytes, could_carry > 0 ? load.bytes / could_carry : 0});
  }
  return traffic;
}

}  // namespace rackwright::run
