#include "scenarios/check/scale_up_plan.h"

#include <algorithm>

#include "models/cost/transfer_mechanism.h"

namespace rackwright::scenarios {

bool leaves_scale_up_domain(const PoolSpec& pool, const RackGroupSpec& racks) {
  if (pool.dataflow || racks.scale_up_devices <= 0 || !racks.nic_bytes_per_s) return false;
  return std::max(pool.parallelism.expert, pool.parallelism.tensor) > racks.scale_up_devices;
}

std::optional<cost::ScaleUpSpec> scale_up_of(const PoolSpec& pool, const RackGroupSpec& racks, const FabricSpec& network) {
  if (!racks.device.scale_up_bytes_per_s) return std::nullopt;
  cost::ScaleUpSpec spec = cost::scale_up_spec(racks.device.scale_up_link, *racks.device.scale_up_bytes_per_s);
  spec.in_fabric_reduction = racks.in_network_reduction;
  if (racks.collectives_follow_link) spec.ring_step_s = racks.scale_up_latency_s;
  if (pool.communication.all_reduce) spec.all_reduce = *pool.communication.all_reduce;
  spec.peer_limit_bytes = pool.communication.all_reduce_limit_bytes;
  if (leaves_scale_up_domain(pool, racks)) {
    const double card_share = *racks.nic_bytes_per_s * racks.nics_per_node / racks.devices_per_node;
    spec.domain_ranks = racks.scale_up_devices;
    spec.network_reduces = network.hall.scale_out && network.hall.scale_out->reduces;
    spec.remote_bytes_per_s = card_share * cost::published_transfer(cost::TransferMechanism::rdma, "").link_fraction;
  }
  return spec;
}

}  // namespace rackwright::scenarios
